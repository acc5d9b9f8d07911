import { expect, test } from 'vitest'
import { Schedule, Schedules } from './takeovers/schedule.js'
import { played } from './takeovers/scene.js'

test('T10 x', async () => {
  for (const style of ['ask-first', 'just-do'] as const)
    for (const protocol of ['idempotent', 'verify', 'once'] as const) {
      const reference = await played({ style, protocol }, undefined, new Schedule([]))
      console.log(style, protocol, reference.status, reference.placeCount, reference.events.map((e) => e.kind).join(), reference.asked)
      let total = 0
      const st = new Map<string, number>()
      for (let place = 0; place < reference.placeCount; place += 1) {
        const schedules = new Schedules()
        for (let s = schedules.next(); s !== undefined; s = schedules.next()) {
          const o = await played({ style, protocol }, place, s)
          schedules.took(s)
          const k = `${o.status} sends ${o.asked.filter(a => a.startsWith('send')).length} usurped ${o.usurped} `
          st.set(k, (st.get(k) ?? 0) + 1)
          if (schedules.count === 1 || schedules.count === 40) console.log(place, s.told.join(' | '))
          if (schedules.count > 300) break
        }
        total += schedules.count
      }
      console.log(total, [...st])
    }
}, 600000)
