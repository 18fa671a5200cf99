import { createElement, type ElementType, type ReactNode, type Ref } from 'react'

type Props = {
  as?: ElementType
  children?: ReactNode
  ref?: Ref<Element>
  allowPinchZoom?: boolean
  shards?: unknown
  enabled?: boolean
  removeScrollBar?: boolean
}

/**
 * Stands where Radix uses `react-remove-scroll`: that writes style elements, which the content policy of the page refuses.
 * The page itself never scrolls, so nothing has to be locked.
 */
export function RemoveScroll({
  as = 'div',
  allowPinchZoom,
  shards,
  enabled,
  removeScrollBar,
  ...rest
}: Props) {
  return createElement(as, rest)
}
