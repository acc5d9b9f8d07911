/** Functions that run in the page: each knows nothing but its argument. No types: those of the DOM would be there for all tests. */

/** Shows one reply after the other, counts how often its payload can be read, and what was made that must not be. */
export function showAll({ replies, payloads, forbidden }) {
  const find = (id) => document.getElementById(id)
  const per = replies.length / payloads.length
  return replies.map((reply, i) => {
    Object.assign(globalThis, { reply })
    const payload = payloads[Math.floor(i / per)] ?? ''
    find('keys').value = payload
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], payload.replaceAll('/', '')))
    document.body.dispatchEvent(
      new DragEvent('drop', {
        dataTransfer,
        bubbles: true,
        cancelable: true,
      }),
    )
    for (const details of document.querySelectorAll('details')) details.open = true
    const result = find('result')
    const count = result.hidden ? 0 : (result.textContent ?? '').split(payload).length - 1
    return {
      count,
      made: result.querySelectorAll(forbidden).length,
    }
  })
}
/** What a script that got in would try. */
export async function tryToLeave(url) {
  const loaded = (name, attribute) =>
    new Promise((resolve) => {
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
    new Promise((resolve) => {
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
export function readability() {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const channels = (colors) => {
    if (canvas === null) return []
    for (const color of colors) {
      canvas.fillStyle = color
      canvas.fillRect(0, 0, 1, 1)
    }
    return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)]
  }
  const luminance = (rgb) => {
    const [r = 0, g = 0, b = 0] = rgb.map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const grounds = (element) =>
    element === null ? [] : [...grounds(element.parentElement), getComputedStyle(element).backgroundColor]
  const weak = []
  let textCount = 0
  for (const details of document.querySelectorAll('details')) details.open = true
  for (const element of document.body.querySelectorAll('*')) {
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
  const fields = [...document.querySelectorAll('input, textarea, button, progress')]
  const unnamed = fields
    .filter((field) => (field.labels?.length ?? 0) === 0 && field.textContent?.trim() === '')
    .map(({ id }) => id)
  const paths = [...document.querySelectorAll('.sign path')]
  const sign = paths
    .filter((path) => getComputedStyle(path).display !== 'none')
    .map((path) => path.getAttribute('class'))
    .join()
  return {
    weak,
    textCount,
    sign,
    unnamed,
  }
}
/** Drops files one after the other and reads what the page says of each. */
export async function dropInPage(files) {
  const find = (id) => document.getElementById(id)
  const result = find('result')
  const texts = (selector) => [...result.querySelectorAll(selector)].map(({ textContent }) => textContent ?? '')
  const write = ({ keys, origin, earlier, witnesses = [], quorum, authorities = [], require = [], allow = [] }) => {
    find('keys').value = keys.join('\n')
    find('earlier').value = earlier ?? ''
    find('origin').value = origin ?? ''
    find('witnesses').value = witnesses.join('\n')
    const pem = (text) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`
    find('certificates').value = authorities.map(pem).join('')
    find('quorum').value = quorum === undefined ? '' : String(quorum)
    for (const box of document.querySelectorAll('#require input, #allow input'))
      box.checked = (box.closest('#allow') === null ? require : allow).includes(box.value)
    find('form').dispatchEvent(new Event('input', { bubbles: true }))
  }
  const drop = (name, base64) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name))
    document.body.dispatchEvent(
      new DragEvent('drop', {
        dataTransfer,
        bubbles: true,
        cancelable: true,
      }),
    )
  }
  const verdict = () =>
    new Promise((resolve, reject) => {
      const observer = new MutationObserver(() => {
        const problem = [...document.querySelectorAll('.problem')].map(({ textContent }) => textContent).join('')
        if (problem !== '') reject(new Error(problem))
        else if (result.dataset['verdict'] === undefined) return
        else resolve(result.dataset['verdict'])
        observer.disconnect()
      })
      observer.observe(document.body, {
        attributes: true,
        childList: true,
        subtree: true,
      })
    })
  const said = []
  for (const file of files) {
    write(file)
    const coming = verdict()
    drop(file.name, file.base64)
    const found = await coming
    const checks = (wanted) => texts(`.checks > [data-result="${wanted}"] strong`)
    const isReceipt = result.querySelector('.receipt') !== null
    said.push({
      verdict: found,
      title: find('verdict').textContent ?? '',
      meaning: find('meaning').textContent ?? '',
      failed: checks('failed'),
      notEvaluated: checks('not_evaluated'),
      runs: texts('.run'),
      answers: isReceipt
        ? texts('.receipt .carried')
        : [...result.querySelectorAll('.answers > li > div')].map(
            ({ firstElementChild, lastElementChild }) =>
              `${firstElementChild?.textContent} ${lastElementChild?.textContent}`,
          ),
      notProven: texts('.limits > li'),
    })
  }
  return said
}

/** Takes worker and Ed25519 away before the page begins, and counts in `lacks` how often each was missed: by ones and by thousands. */
export function lackWorkerAndEd25519() {
  globalThis.lacks = 0
  globalThis.Worker = class {
    constructor() {
      globalThis.lacks += 1
      throw new Error('not here')
    }
  }
  SubtleCrypto.prototype.importKey = () => {
    globalThis.lacks += 1_000
    return Promise.reject(new DOMException('unknown', 'NotSupportedError'))
  }
}

/** A worker that answers whatever `reply` is. */
export function answerReply() {
  globalThis.Worker = class {
    postMessage() {
      this.onmessage({ data: globalThis.reply })
    }
    terminate() {}
  }
}

/** What a careless page would do with texts. */
export function takeForMarkup(texts) {
  for (const text of texts) document.body.appendChild(document.createElement('div')).innerHTML = text
}

/** Notes each step of the progress that the page sees before there is a verdict, and clicks at every fifth. */
export function watchSteps() {
  Object.assign(globalThis, { steps: [], clicks: 0, readHere: 0 })
  const { stream } = Blob.prototype
  Blob.prototype.stream = function () {
    globalThis.readHere += 1
    return stream.call(this)
  }
  const summary = document.querySelector('.more-known summary')
  summary.addEventListener('click', () => {
    globalThis.clicks += 1
  })
  new MutationObserver(() => {
    const { value } = document.getElementById('bar')
    if (document.getElementById('result').dataset.verdict !== undefined || value === 0) return
    globalThis.steps.push(value)
    if (globalThis.steps.length % 5 === 0) summary.click()
  }).observe(document.getElementById('read'), { childList: true, characterData: true, subtree: true })
}

/** What was noted. */
export function watched() {
  const { steps, clicks, readHere } = globalThis
  return { steps, clicks, readHere }
}

/** Presses the button at the first step of the progress. */
export function stopAtFirstStep() {
  new MutationObserver((_, observer) => {
    if (document.getElementById('bar').value === 0) return
    observer.disconnect()
    document.getElementById('stop').click()
  }).observe(document.getElementById('read'), { childList: true, characterData: true, subtree: true })
}
