/** The attributes that this page sets; none of them loads or runs anything. */
export type AttributeName =
  | 'class'
  | 'id'
  | 'title'
  | 'tabindex'
  | 'aria-hidden'
  | 'data-result'
  | 'data-answer'
  | 'open'

/** What goes into an element: others, or texts. */
export type Child = Node | string | undefined

/**
 * Makes an element. Texts go in as text nodes and in no other way: nothing that a file says can become markup. Attributes are of a short list, none of
 * which can act.
 */
export function element(
  name: string,
  attributes: Partial<Record<AttributeName, string>> = {},
  ...children: Child[]
): HTMLElement {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children.filter((child) => child !== undefined))
  return made
}

/** The element of the page with an id. It is there: the page and its script are one file. */
export function part<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T
}
