import '../shared/base.css'
import './explorer.css'
import { readAccess } from '../shared/access.ts'
import { byId } from '../shared/element.ts'
import { createSignIn } from '../shared/sign-in.ts'
import { switchTheme } from '../shared/theme.ts'
import { createDetails } from './details.ts'
import { createExplorer } from './explorer.ts'
import { createFilters } from './filters.ts'
import { createHelp } from './help.ts'
import { listenToKeys } from './keys.ts'
import { createLayout } from './layout.ts'
import { createList } from './list.ts'
import { createLive } from './live.ts'
import { createPaths } from './paths.ts'
import { listenToPointer } from './pointer.ts'
import { createResults } from './results.ts'
import { createScene } from './scene.ts'
import { createStatus } from './status.ts'
import { createTagColours } from './tags.ts'
import { createTip } from './tip.ts'
import { createView } from './view.ts'

const canvas = byId<HTMLCanvasElement>('canvas')
const most = byId<HTMLSelectElement>('most')
const scene = createScene()
const signIn = createSignIn(byId('access'), enter)
const status = createStatus(signIn)
const layout = createLayout(scene.graph)
const view = createView(canvas, scene, layout, createTagColours(byId('tags'), scene))
const explorer = createExplorer({
  ...{ scene, view, status },
  most: () => Number(most.value),
  toDrawing: () => show('drawing'),
})
const results = createResults(scene, explorer)
const list = createList(scene, explorer)
const help = createHelp(byId('help'))
const live = createLive({ scene, view, status, explorer, signIn })
createDetails(scene, explorer)
createPaths(scene, explorer)
createFilters(scene)
createTip(canvas, scene, view)
listenToPointer(canvas, { scene, view, layout, open: (id, expand) => void explorer.open(id, expand) })
listenToKeys(canvas, scene, view, {
  open: (id, expand) => void explorer.open(id, expand),
  hide: explorer.hide,
  end: id => void explorer.end(id),
  forgetPath: explorer.forgetPath,
  search: results.focus,
  list: () => list.show(true),
  help: help.open,
})
scene.on(change => change === 'filter' && view.arrange({ all: false }))
switchTheme(byId('theme'), view.recolour)
most.addEventListener('change', () => byId<HTMLFormElement>('search').requestSubmit())
byId('zoom-in').addEventListener('click', () => view.camera.zoom(1.25))
byId('zoom-out').addEventListener('click', () => view.camera.zoom(0.8))
byId('fit').addEventListener('click', () => view.camera.fit(scene.graph.nodes.values()))
for (const pane of document.querySelectorAll<HTMLElement>('[data-pane]'))
  pane.addEventListener('click', () => show(pane.dataset.pane))

if (readAccess()) enter()
else signIn.open()

function enter() {
  void explorer.enter()
  live.start()
}

/** On a narrow screen one part shows at a time. */
function show(pane: string | undefined) {
  document.body.dataset.shown = pane
  for (const each of document.querySelectorAll<HTMLElement>('[data-pane]'))
    each.setAttribute('aria-pressed', String(each.dataset.pane === pane))
}
