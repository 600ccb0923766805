import { type AnswerBody, type ArrayName, texts } from '../support/people.ts'

/** Status and body of an answer. */
export type Expected = { readonly status: number; readonly body: Partial<AnswerBody> }

function processed(attributes: number, events = 0, purchases = 0): Expected {
  return {
    status: 201,
    body: {
      ...(attributes > 0 && { attributes_processed: attributes }),
      ...(events > 0 && { events_processed: events }),
      ...(purchases > 0 && { purchases_processed: purchases }),
      message: 'success',
    },
  }
}

function partly(counts: Partial<AnswerBody>, type: string, input_array: ArrayName, count = 1): Expected {
  const errors = Array.from({ length: count }, (_, index) => ({ type, input_array, index }))
  return { status: 201, body: { ...counts, errors, message: 'success' } }
}

function nothing(...entries: [type: string, input_array: ArrayName][]): Expected {
  const errors = entries.map(([type, input_array]) => ({ type, input_array, index: 0 }))
  return {
    status: 400,
    body: { message: texts.nothingValid, errors },
  }
}

function nobody(...invalid_user_ids: string[]): Expected {
  return { status: 201, body: { users: [], invalid_user_ids, message: 'success' } }
}

function deleted(count: number): Expected {
  return { status: 201, body: { deleted: count, message: 'success' } }
}

function identified(aliases: number, emails = 0, phones = 0): Expected {
  return {
    status: 201,
    body: {
      aliases_processed: aliases,
      ...(emails > 0 && { emails_processed: emails }),
      ...(phones > 0 && { phone_numbers_processed: phones }),
      message: 'success',
    },
  }
}

function aliased(count: number): Expected {
  return { status: 201, body: { aliases_processed: count, message: 'success' } }
}

function notRemoved(type: string): Expected {
  const removal_errors = [{ type, input_array: 'external_ids', index: 0 }]
  return { status: 201, body: { removed_ids: [], removal_errors, message: 'success' } }
}

function notRenamed(type: string): Expected {
  const rename_errors = [{ type, input_array: 'external_id_renames', index: 0 }]
  return { status: 201, body: { rename_errors, external_ids: [], message: 'success' } }
}

const merging: Expected = { status: 202, body: { message: 'success' } }

const oneKindOnly: Expected = {
  status: 400,
  body: { message: 'Only one of external_ids, user_aliases, service_ids, or email_addresses may be specified' },
}

/** A 400 with Easel's own text. */
export const refused: Expected = { status: 400, body: {} }

/** The answers to the requests of existing clients, by their index in the file. */
export const expectedOfSent: Readonly<Record<number, Expected>> = {
  168: aliased(1), // nobody
  169: aliased(2),
  170: aliased(1), // an unknown integer
  171: aliased(1), // inside user_alias
  172: { status: 201, body: { message: 'success' } },
  173: { status: 201, body: { message: 'success' } },
  174: oneKindOnly,
  175: deleted(1),
  176: deleted(1),
  177: deleted(3), // integers
  178: deleted(1),
  179: oneKindOnly, // and an empty list
  180: deleted(2), // integers and an empty list
  182: refused, // more than one of device_id, email_address and phone
  183: nobody('u1'),
  184: nobody('e1@x.com'),
  185: { status: 201, body: { users: [{}, {}], message: 'success' } }, // the people that 169 has created
  186: nobody('1'),
  187: refused, // no fields_to_export
  188: nobody('12345'), // an integer
  189: nobody('x'),
  190: nobody('go1'),
  191: nobody('u1'),
  192: refused, // no fields_to_export
  193: refused, // no fields_to_export
  194: refused, // a callback_endpoint that is no URL
  195: refused, // no fields_to_export
  196: refused, // no fields_to_export
  197: refused, // no fields_to_export
  198: notRemoved('the external_id matches nobody'),
  199: notRemoved('the external_id matches nobody'),
  200: notRenamed("'current_external_id' matches nobody"),
  201: notRenamed("'current_external_id' matches nobody"),
  202: identified(1),
  203: refused, // both identified and unidentified
  204: identified(2), // integers
  205: identified(1),
  206: identified(1, 1, 1),
  207: refused, // an alias without a label
  208: merging,
  209: merging,
  210: merging,
  211: merging,
  212: merging, // aliases and e-mails
  213: processed(1, 1, 1), // an offset of +1:00
  214: processed(1),
  215: nothing(), // an empty list
  216: processed(1, 1),
  217: processed(1, 1), // and an empty list
  218: processed(1),
  219: processed(1),
  220: processed(1),
  221: processed(1, 1, 1), // integers as ids, no quantity
  222: processed(0, 1),
  223: processed(1, 1),
  224: processed(0, 1),
  225: processed(1, 1, 1),
  226: processed(1, 2, 1), // an event with an unknown alias is processed without effect
  227: processed(1, 1),
  228: processed(1, 1),
  229: processed(1, 1), // _update_existing_only true, for an unknown person
  230: processed(1, 1),
  231: processed(1, 1),
  232: processed(1, 1),
  233: processed(1, 1),
  234: processed(1, 1), // null inside properties
  235: processed(1, 1),
  236: processed(1, 1),
  237: nothing([texts.onlyOne, 'attributes'], [texts.onlyOne, 'events']),
  238: nothing([texts.onlyOne, 'attributes'], [texts.onlyOne, 'events']),
  239: nothing([texts.onlyOne, 'attributes'], [texts.onlyOne, 'purchases']),
  240: nothing([texts.onlyOne, 'attributes'], [texts.onlyOne, 'purchases']),
  241: refused, // the body is a list
  242: processed(1, 1), // the property $current_url
  243: partly({ attributes_processed: 0, events_processed: 1 }, texts.badEmail, 'attributes'), // a domain without a dot
  244: partly({ attributes_processed: 0, events_processed: 2 }, texts.badEmail, 'attributes', 2),
  245: processed(0, 1),
  246: nothing([texts.badEmail, 'attributes']),
  247: partly({ attributes_processed: 1, events_processed: 0 }, "'time' is not valid", 'events'), // the time "12345"
  248: partly({ attributes_processed: 1, purchases_processed: 0 }, "'time' is not valid", 'purchases'),
  249: partly(
    { attributes_processed: 1, events_processed: 1, purchases_processed: 0 }, // an unknown service_id is processed
    texts.required,
    'purchases',
  ),
  250: processed(0, 1),
  251: nothing(), // attributes is an object
  252: nothing(["'time' is required", 'events']),
  253: processed(1, 1, 1), // a time of the form 2019-02-15 00:00:00 -0500
  254: processed(1, 1, 1),
}

/** What the answers name because it is not kept as it was sent. */
export const noticesOfSent: readonly string[] = [
  // These requests give aliases and external ids to people who do not exist.
  ...[168, 170].map((index) => `${index} user_aliases[0].external_id`),
  ...[172, 173].map((index) => `${index} alias_updates[0].old_alias_name`),
  '202 aliases_to_identify[0].user_alias',
  '204 aliases_to_identify[0].user_alias',
  '204 aliases_to_identify[1].user_alias',
  '206 aliases_to_identify[0].user_alias',
  '206 emails_to_identify[0].email',
  '206 phone_numbers_to_identify[0].phone',
  // An alias that matches nobody.
  '226 events[1].user_alias',
  // The language en-US, of which en is stored.
  ...[227, 229, 230, 231, 232, 233, 235].map((index) => `${index} attributes[0].language`),
  // A service id that matches nobody.
  '249 attributes[0].service_id',
]
