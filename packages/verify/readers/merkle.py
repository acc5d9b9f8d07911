"""The Merkle tree of RFC 6962: what a leaf and a node hash to, and whether a proof holds."""
import hashlib

def leaf_hash(leaf):
    return hashlib.sha256(b"\0" + leaf).digest()

def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()

def root_of(leaves):
    """The root over hashes of leaves, by the definition."""
    if not leaves: return hashlib.sha256(b"").digest()
    if len(leaves) == 1: return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return node_hash(root_of(leaves[:split]), root_of(leaves[split:]))

def is_included(index, size, leaf, path, root):
    """Whether the leaf's hash stands at this index of the tree of this size (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size or len(root) != 32: return False
    place, last, value = index, size - 1, leaf
    for sibling in path:
        if last == 0: return False
        if place & 1 or place == last:
            value = node_hash(sibling, value)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            value = node_hash(value, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and value == root

def is_consistent(first, second, proof, roots):
    """Whether the tree of the second size begins with that of the first (RFC 9162, 2.1.4.2). Nothing is proven of an empty tree."""
    old_root, new_root = roots
    if not 0 < first <= second: return False
    if first == second: return not proof and old_root == new_root
    path = list(proof) if first & (first - 1) else [old_root, *proof]
    if not path: return False
    place, last = first - 1, second - 1
    while place & 1: place, last = place >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0: return False
        if place & 1 or place == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and old == old_root and new == new_root
