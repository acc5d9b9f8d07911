/** How an execution ended; whatever it held in memory is garbage afterwards. */
export type ExecutionEnd =
  | { readonly kind: 'ended' | 'suspended' | 'lost' | 'released' }
  /** A rehearsal came to the end of the journal. */
  | { readonly kind: 'replayed' }
  | { readonly kind: 'stuck'; readonly code: string; readonly message: string }
  /** The store failed: the run goes on later, from its journal. */
  | { readonly kind: 'fault'; readonly error: unknown }
