import { byId, element, replaceContent } from '../shared/element.ts'
import type { Scene } from './scene.ts'
import type { View } from './view.ts'
import { count } from './words.ts'

/** The content of the memory under the pointer, shown next to it. */
export function createTip(canvas: HTMLElement, scene: Scene, view: View) {
  const tip = byId('tip')
  scene.on(change => change === 'hover' && show())

  function show() {
    const node = scene.state.hovered === undefined ? undefined : scene.graph.nodes.get(scene.state.hovered)
    tip.hidden = !node
    if (!node) return
    const { content, tags } = node.memory
    replaceContent(
      tip,
      element('p', {}, content.length > 220 ? `${content.slice(0, 219)}…` : content),
      element('small', {}, [count(node.degree, 'connection'), ...tags.slice(0, 4)].join(' · ')),
    )
    const { x, y } = view.camera.toScreen(node)
    const width = tip.offsetWidth
    tip.style.left = `${Math.max(8, Math.min(canvas.clientWidth - width - 8, x - width / 2))}px`
    tip.style.top = `${y > canvas.clientHeight / 2 ? y - tip.offsetHeight - 22 : y + 22}px`
  }
}
