import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { type Item, newEmail } from '../support/people.ts'
import { linesOf, peopleIn, restore } from '../support/people-lines.ts'
import { optIn } from '../support/sign-ups.ts'
import { newPhone, publicUrl, TextSignUps, textSender } from '../support/text-sign-ups.ts'

const letter = { id: 'letter', name: 'Letter', channel: 'email', double_opt_in: optIn }
const offers = { id: 'offers', name: 'Offers', channel: 'sms', double_opt_in: { enabled: true, valid_hours: 720 } }
const unknownHere = { id: 'gone', name: 'Gone', channel: 'email', double_opt_in: optIn }

for (const database of drawDatabases('imported-confirmations')) {
  describe(`confirmations of people who are imported (${database})`, () => {
    const [first, second] = [new TextSignUps(), new TextSignUps()]
    const start = async (people: TextSignUps, subscription_groups: readonly object[]) => {
      const { url } = await people.openProvider()
      const settings = { sms: { from: textSender } }
      const env = { EASEL_CLOCK: 'virtual', EASEL_TRUSTED_PROXIES: '127.0.0.1', SMS_URL: url, PUBLIC_URL: publicUrl }
      await people.start({ database, workspace: { ...sendingWorkspace, settings, subscription_groups }, env })
    }
    before(async () => {
      await start(first, [letter, offers, unknownHere])
      await start(second, [letter, offers])
    })
    after(async () => {
      await first.close()
      await second.close()
    })

    /** Returns the line of the one person with an address. */
    const lineOf = (lines: readonly object[], address: string): Item => {
      const [line] = peopleIn(lines).filter((each) => JSON.stringify(each).includes(`"${address}"`))
      return line as Item
    }
    const confirmationsIn = (line: Item) => line.confirmations as Item[]
    /** Signs an address up here, and imports the person there. */
    const mailed = async (group: { readonly id: string } = letter) => {
      const [path, email] = [await first.formOf(group), newEmail()]
      await first.signUp(path, email)
      const link = await first.linkTo(email)
      const line = lineOf(await linesOf(first.service), email)
      return { email, link, line, answer: await restore(second.service, [line]) }
    }

    test('a link that the other installation has sent confirms, once', async () => {
      const { email, link, line, answer } = await mailed()
      assert.deepEqual([answer.imported, answer.unknown_groups], [1, []])
      const [asked] = confirmationsIn(line)
      assert.deepEqual(
        [asked!.group_id, asked!.address, asked!.source, asked!.sent_count],
        ['letter', email, 'form', 1],
      )
      assert.equal(
        JSON.stringify(line).includes(link.slice('/confirm/'.length)),
        false,
        'the line does not have the link',
      )
      assert.match((await second.page(link)).text, /Confirm your subscription/)
      assert.equal((await second.press(link)).status, 200)
      assert.deepEqual(await second.groupsOf(email), ['Letter: Subscribed'])
      const [given] = (await second.confirmations(letter)).filter(({ address }) => address === email)
      assert.equal(given!.state, 'confirmed')
      assert.match((await second.page(link)).text, /You are subscribed/)
      assert.deepEqual(await first.groupsOf(email), [], 'the other installation knows nothing of it')
    })

    test('a link with another signature does not, and neither does one that was replaced', async () => {
      const { email, link } = await mailed()
      const token = link.slice('/confirm/'.length)
      for (const last of ['0', 'v']) {
        if (token.endsWith(last)) continue
        const forged = `/confirm/${token.slice(0, -1)}${last}`
        assert.equal((await second.page(forged)).status, 404, forged)
        assert.equal((await second.press(forged)).status, 404, forged)
      }
      // The clocks of the two installations are not the same.
      await second.service.advance('PT49H')
      assert.equal((await second.press(link)).status, 410)
      await second.signUp(await second.formOf(letter), email)
      const fresh = await second.linkTo(email)
      assert.equal((await second.press(link)).status, 404)
      assert.equal((await second.press(fresh)).status, 200)
      assert.deepEqual(await second.groupsOf(email), ['Letter: Subscribed'])
    })

    test('a reply with the keyword confirms', async () => {
      const phone = newPhone()
      await first.signUpPhone(await first.formOf(offers), phone)
      await first.textTo(phone)
      const line = lineOf(await linesOf(first.service), phone)
      assert.deepEqual([confirmationsIn(line)[0]!.keyword, confirmationsIn(line)[0]!.link_hashes], ['YES', undefined])
      assert.equal((await restore(second.service, [line])).imported, 1)
      assert.match(await second.reply(phone, 'yes'), /^You get Offers from now on/)
      assert.deepEqual(await second.groupsOfPhone(phone), ['Offers: Subscribed'])
    })

    test('the proof of a confirmation is imported, and is the same in a further export', async () => {
      const [path, email] = [await first.formOf(letter), newEmail()]
      await first.signUp(path, email)
      await first.press(await first.linkTo(email))
      const line = lineOf(await linesOf(first.service), email)
      await restore(second.service, [line])
      const [here] = (await first.confirmations(letter)).filter(({ address }) => address === email)
      const [there] = (await second.confirmations(letter)).filter(({ address }) => address === email)
      const { person: _, ...proof } = here!
      const { person: __, ...carried } = there!
      assert.deepEqual(carried, proof)
      const again = lineOf(await linesOf(second.service), email)
      const [{ link_hashes: before, ...asked }] = confirmationsIn(line) as [Item]
      const [{ link_hashes: hashes, ...exported }] = confirmationsIn(again) as [Item]
      assert.deepEqual(exported, asked)
      assert.equal((hashes as unknown[]).length, 2, 'links of both installations')
      assert.ok((hashes as unknown[]).includes((before as unknown[])[0]))
    })

    test('a group that the workspace does not have is named, and wrong members refuse the line', async () => {
      const { answer, link, line } = await mailed(unknownHere)
      assert.deepEqual([answer.imported, answer.unknown_groups], [1, ['gone']])
      assert.equal((await second.press(link)).status, 404)
      const [asked] = confirmationsIn(line) as [Item]
      const wrong: readonly [Item, string][] = [
        [{ confirmation_id: 7 }, 'confirmation_id is not valid'],
        [{ confirmation_id: '9223372036854775808' }, 'confirmation_id is not valid'],
        [{ dispatch_id: 'x' }, 'dispatch_id is not valid'],
        [{ source: 'fax' }, 'source is not valid'],
        [{ link_hashes: ['x'] }, 'link_hashes is not valid'],
        [{ link_hashes: Array.from({ length: 11 }, () => 'a'.repeat(64)) }, 'link_hashes is not valid'],
        [{ sent_count: 0 }, 'sent_count is not valid'],
        [{ address: undefined }, 'address is missing'],
      ]
      for (const [more, expected] of wrong) {
        const bad = { ...line, confirmations: [{ ...asked, ...more }] }
        const { left_out } = await restore(second.service, [bad])
        assert.deepEqual(left_out, [{ index: 0, reason: `confirmations[0].${expected}` }])
      }
      const most = { ...asked, link_hashes: Array.from({ length: 10 }, (_, i) => String(i).repeat(64)) }
      const named = {
        ...line,
        person: '0000000000000777',
        confirmations: [{ ...most, confirmation_id: '9223372036854775807' }],
      }
      assert.deepEqual((await restore(second.service, [named])).left_out, [])
    })
  })
}
