/// <reference lib="dom" />
/** Functions that run in the page: each knows nothing but its argument. */

/** Shows one reply after the other, counts how often its payload can be read, and what was made that must not be. */
export function showAll({
  replies,
  payloads,
  forbidden,
}: {
  replies: object[]
  payloads: readonly string[]
  forbidden: string
}) {
  const find = (id: string) => document.getElementById(id) as HTMLTextAreaElement
  const per = replies.length / payloads.length
  return replies.map((reply, i) => {
    Object.assign(globalThis, { reply })
    const payload = payloads[Math.floor(i / per)] ?? ''
    find('keys').value = payload
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], payload.replaceAll('/', '')))
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    for (const details of document.querySelectorAll('details')) details.open = true
    const result = find('result')
    const count = result.hidden ? 0 : (result.textContent ?? '').split(payload).length - 1
    return { count, made: result.querySelectorAll(forbidden).length }
  })
}

/** What a script that got in would try. */
export async function tryToLeave(url: string): Promise<string[]> {
  const loaded = (name: 'img' | 'script' | 'iframe', attribute: string) =>
    new Promise<string>((resolve) => {
      const made = document.createElement(name)
      made.addEventListener('load', () => resolve(name === 'iframe' ? 'refused' : 'got out'))
      made.addEventListener('error', () => resolve('refused'))
      try {
        made.setAttribute(attribute, url)
      } catch {
        resolve('refused')
      }
      document.body.append(made)
    })
  const socket = () =>
    new Promise<string>((resolve) => {
      try {
        const opened = new WebSocket(url.replace('http', 'ws'))
        opened.onopen = () => resolve('got out')
        opened.onerror = () => resolve('refused')
      } catch {
        resolve('refused')
      }
    })
  const fetched = await fetch(url).then(
    () => 'got out',
    () => 'refused',
  )
  return [
    fetched,
    await loaded('img', 'src'),
    await loaded('script', 'src'),
    await loaded('iframe', 'src'),
    await socket(),
  ]
}

/** Texts of too little contrast, fields without a name, and which sign is shown. */
export function readability(): { weak: string[]; textCount: number; sign: string; unnamed: string[] } {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const channels = (colors: readonly string[]): number[] => {
    if (canvas === null) return []
    for (const color of colors) {
      canvas.fillStyle = color
      canvas.fillRect(0, 0, 1, 1)
    }
    return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)]
  }
  const luminance = (rgb: number[]): number => {
    const [r = 0, g = 0, b = 0] = rgb.map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const grounds = (element: Element | null): string[] =>
    element === null ? [] : [...grounds(element.parentElement), getComputedStyle(element).backgroundColor]
  const weak: string[] = []
  let textCount = 0
  for (const details of document.querySelectorAll('details')) details.open = true
  for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== '')
    if (!own || !element.checkVisibility() || element.closest('.unseen') !== null || element.tagName === 'SCRIPT')
      continue
    textCount += 1
    const ground = grounds(element)
    const [one, other] = [
      luminance(channels(ground)),
      luminance(channels([...ground, getComputedStyle(element).color])),
    ]
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    if (contrast < 4.5)
      weak.push(`${element.tagName} ${element.className} ${element.textContent?.slice(0, 30)}: ${contrast.toFixed(2)}`)
  }
  const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea, button, progress')]
  const unnamed = fields
    .filter((field) => (field.labels?.length ?? 0) === 0 && field.textContent?.trim() === '')
    .map(({ id }) => id)
  const paths = [...document.querySelectorAll<SVGPathElement>('.sign path')]
  const sign = paths
    .filter((path) => getComputedStyle(path).display !== 'none')
    .map((path) => path.getAttribute('class'))
    .join()
  return { weak, textCount, sign, unnamed }
}
