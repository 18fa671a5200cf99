type Value = string | number | boolean | undefined | ((event: Event) => void)
export type Child = Node | string | undefined | false

/**
 * An element with attributes, listeners (functions, by the name of their event) and children. Text becomes text, whatever
 * it holds: nothing here is read as HTML.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, Value>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value)
    else if (value !== undefined && value !== false)
      made.setAttribute(key, value === true ? '' : String(value))
  }
  made.append(...present(children))
  return made
}

/** Replaces the content of an element. */
export const replaceContent = (parent: Element, ...children: Child[]) =>
  parent.replaceChildren(...present(children))

/** The element of the page with this id. @throws when the page has none */
export function byId<Type extends HTMLElement = HTMLElement>(id: string): Type {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The page has no #${id}`)
  return found as Type
}

const present = (children: Child[]) => children.filter(child => child !== undefined && child !== false)
