/** The built-in texts of one language. `{group}` stands for the name of the group, `{hours}` for how long a link works. */
export type Wording = {
  readonly form: {
    readonly title: string
    readonly intro: string
    readonly label: string
    readonly button: string
    readonly done_title: string
    readonly done_text: string
    readonly paused_title: string
    readonly paused_text: string
    /** What a person leaves empty, so that programs can be recognized. */
    readonly trap: string
  }
  readonly notes: {
    readonly wrong: string
    readonly consent: string
    readonly again: string
    readonly check: string
  }
  /** The texts of a form for a phone number that differ from those above. */
  readonly phoneForm: {
    readonly intro: string
    readonly label: string
    readonly done_title: string
    readonly done_text: string
  }
  readonly phoneNotes: { readonly wrong: string; readonly check: string }
  readonly mail: {
    readonly subject: string
    readonly asked: string
    readonly button: string
    readonly valid: string
    readonly notYou: string
  }
  readonly page: {
    readonly title: string
    readonly text: string
    readonly button: string
    readonly done_title: string
    readonly done_text: string
    readonly expired_title: string
    readonly expired_text: string
    readonly closed_title: string
    readonly closed_text: string
  }
}

const en: Wording = {
  form: {
    title: 'Subscribe to {group}',
    intro: 'Enter your e-mail address. We send you a link, and you are subscribed when you have confirmed it.',
    label: 'E-mail address',
    button: 'Subscribe',
    done_title: 'Please check your e-mail',
    done_text: 'If the address can be subscribed, a mail with a link is on its way. Open the link to confirm.',
    paused_title: 'This form is closed',
    paused_text: 'It takes no sign-ups at the moment.',
    trap: 'Leave this field empty',
  },
  notes: {
    wrong: 'Please enter your full e-mail address, such as ada@example.com.',
    consent: 'Please tick the box first.',
    again: 'Please press the button once more.',
    check: 'Please check your address, and press the button.',
  },
  phoneForm: {
    intro:
      'Enter your phone number with the country code. We send you a text, and you are subscribed when you have answered it.',
    label: 'Phone number',
    done_title: 'Please check your phone',
    done_text: 'If the number can be subscribed, a text message is on its way. Answer it to confirm.',
  },
  phoneNotes: {
    wrong: 'Please enter your phone number with the country code, such as +44 7400 123456.',
    check: 'Please check your number, and press the button.',
  },
  mail: {
    subject: 'Please confirm: {group}',
    asked: 'Somebody, hopefully you, asked us to send “{group}” to this address. Press the button to confirm.',
    button: 'Confirm',
    valid: 'The link works for {hours} hours.',
    notYou: 'It was not you? Then do nothing, and you get nothing.',
  },
  page: {
    title: 'Confirm your subscription',
    text: 'Press the button, and you are subscribed to “{group}”.',
    button: 'Confirm',
    done_title: 'You are subscribed',
    done_text: 'Thank you. You get “{group}” from now on.',
    expired_title: 'This link is too old',
    expired_text: 'Nothing was changed. Please sign up again to get a new link.',
    closed_title: 'This is closed',
    closed_text: '“{group}” takes no new people. Nothing was changed.',
  },
}

const de: Wording = {
  form: {
    title: '{group} abonnieren',
    intro:
      'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link. Erst wenn Sie ihn bestätigen, sind Sie angemeldet.',
    label: 'E-Mail-Adresse',
    button: 'Anmelden',
    done_title: 'Bitte prüfen Sie Ihr Postfach',
    done_text:
      'Wenn die Adresse angemeldet werden kann, ist eine E-Mail mit einem Link unterwegs. Öffnen Sie den Link, um zu bestätigen.',
    paused_title: 'Dieses Formular ist geschlossen',
    paused_text: 'Zurzeit sind keine Anmeldungen möglich.',
    trap: 'Lassen Sie dieses Feld leer',
  },
  notes: {
    wrong: 'Bitte geben Sie Ihre vollständige E-Mail-Adresse ein, zum Beispiel ada@example.com.',
    consent: 'Bitte setzen Sie zuerst das Häkchen.',
    again: 'Bitte drücken Sie noch einmal auf die Schaltfläche.',
    check: 'Bitte prüfen Sie Ihre Adresse und drücken Sie auf die Schaltfläche.',
  },
  phoneForm: {
    intro:
      'Geben Sie Ihre Telefonnummer mit Landesvorwahl ein. Wir senden Ihnen eine SMS. Erst wenn Sie antworten, sind Sie angemeldet.',
    label: 'Telefonnummer',
    done_title: 'Bitte sehen Sie auf Ihr Telefon',
    done_text: 'Wenn die Nummer angemeldet werden kann, ist eine SMS unterwegs. Antworten Sie, um zu bestätigen.',
  },
  phoneNotes: {
    wrong: 'Bitte geben Sie Ihre Telefonnummer mit der Landesvorwahl ein, zum Beispiel +49 1512 3456789.',
    check: 'Bitte prüfen Sie Ihre Nummer und drücken Sie auf die Schaltfläche.',
  },
  mail: {
    subject: 'Bitte bestätigen: {group}',
    asked:
      'Jemand, hoffentlich Sie, hat „{group}“ für diese Adresse bestellt. Drücken Sie auf die Schaltfläche, um zu bestätigen.',
    button: 'Bestätigen',
    valid: 'Der Link gilt {hours} Stunden.',
    notYou: 'Sie waren das nicht? Dann tun Sie nichts, und Sie bekommen nichts.',
  },
  page: {
    title: 'Anmeldung bestätigen',
    text: 'Drücken Sie auf die Schaltfläche, und Sie sind für „{group}“ angemeldet.',
    button: 'Bestätigen',
    done_title: 'Sie sind angemeldet',
    done_text: 'Vielen Dank. Sie bekommen ab jetzt „{group}“.',
    expired_title: 'Dieser Link ist zu alt',
    expired_text: 'Nichts wurde geändert. Bitte melden Sie sich noch einmal an, um einen neuen Link zu bekommen.',
    closed_title: 'Dies ist geschlossen',
    closed_text: '„{group}“ nimmt niemanden mehr auf. Nichts wurde geändert.',
  },
}

const fr: Wording = {
  form: {
    title: 'S’abonner à {group}',
    intro: 'Saisissez votre adresse e-mail. Nous vous envoyons un lien ; vous êtes abonné après l’avoir confirmé.',
    label: 'Adresse e-mail',
    button: 'S’abonner',
    done_title: 'Consultez votre messagerie',
    done_text:
      'Si cette adresse peut être abonnée, un e-mail avec un lien est en route. Ouvrez le lien pour confirmer.',
    paused_title: 'Ce formulaire est fermé',
    paused_text: 'Les inscriptions ne sont pas possibles en ce moment.',
    trap: 'Laissez ce champ vide',
  },
  notes: {
    wrong: 'Saisissez votre adresse e-mail complète, par exemple ada@example.com.',
    consent: 'Cochez d’abord la case.',
    again: 'Appuyez encore une fois sur le bouton.',
    check: 'Vérifiez votre adresse, puis appuyez sur le bouton.',
  },
  phoneForm: {
    intro:
      'Saisissez votre numéro de téléphone avec l’indicatif du pays. Nous vous envoyons un SMS ; vous êtes abonné après y avoir répondu.',
    label: 'Numéro de téléphone',
    done_title: 'Consultez votre téléphone',
    done_text: 'Si ce numéro peut être abonné, un SMS est en route. Répondez-y pour confirmer.',
  },
  phoneNotes: {
    wrong: 'Saisissez votre numéro avec l’indicatif du pays, par exemple +33 6 12 34 56 78.',
    check: 'Vérifiez votre numéro, puis appuyez sur le bouton.',
  },
  mail: {
    subject: 'Merci de confirmer : {group}',
    asked:
      'Quelqu’un, sans doute vous, a demandé « {group} » pour cette adresse. Appuyez sur le bouton pour confirmer.',
    button: 'Confirmer',
    valid: 'Le lien est valable {hours} heures.',
    notYou: 'Ce n’était pas vous ? Ne faites rien, et vous ne recevrez rien.',
  },
  page: {
    title: 'Confirmer l’abonnement',
    text: 'Appuyez sur le bouton, et vous êtes abonné à « {group} ».',
    button: 'Confirmer',
    done_title: 'Vous êtes abonné',
    done_text: 'Merci. Vous recevez « {group} » à partir de maintenant.',
    expired_title: 'Ce lien est trop ancien',
    expired_text: 'Rien n’a été modifié. Inscrivez-vous de nouveau pour recevoir un autre lien.',
    closed_title: 'C’est fermé',
    closed_text: '« {group} » n’accepte plus personne. Rien n’a été modifié.',
  },
}

const es: Wording = {
  form: {
    title: 'Suscribirse a {group}',
    intro: 'Escriba su dirección de correo. Le enviamos un enlace; la suscripción vale cuando lo haya confirmado.',
    label: 'Dirección de correo',
    button: 'Suscribirse',
    done_title: 'Revise su correo',
    done_text:
      'Si la dirección se puede suscribir, un correo con un enlace está en camino. Abra el enlace para confirmar.',
    paused_title: 'Este formulario está cerrado',
    paused_text: 'En este momento no se puede suscribir nadie.',
    trap: 'Deje este campo vacío',
  },
  notes: {
    wrong: 'Escriba su dirección de correo completa, por ejemplo ada@example.com.',
    consent: 'Primero marque la casilla.',
    again: 'Pulse el botón una vez más.',
    check: 'Compruebe su dirección y pulse el botón.',
  },
  phoneForm: {
    intro:
      'Escriba su número de teléfono con el prefijo del país. Le enviamos un SMS; la suscripción vale cuando lo haya contestado.',
    label: 'Número de teléfono',
    done_title: 'Revise su teléfono',
    done_text: 'Si el número se puede suscribir, un SMS está en camino. Contéstelo para confirmar.',
  },
  phoneNotes: {
    wrong: 'Escriba su número con el prefijo del país, por ejemplo +34 612 345 678.',
    check: 'Compruebe su número y pulse el botón.',
  },
  mail: {
    subject: 'Por favor, confirme: {group}',
    asked: 'Alguien, seguramente usted, ha pedido «{group}» para esta dirección. Pulse el botón para confirmar.',
    button: 'Confirmar',
    valid: 'El enlace vale {hours} horas.',
    notYou: '¿No ha sido usted? Entonces no haga nada, y no recibirá nada.',
  },
  page: {
    title: 'Confirmar la suscripción',
    text: 'Pulse el botón y quedará suscrito a «{group}».',
    button: 'Confirmar',
    done_title: 'Está suscrito',
    done_text: 'Gracias. A partir de ahora recibe «{group}».',
    expired_title: 'Este enlace es demasiado antiguo',
    expired_text: 'No se ha cambiado nada. Suscríbase de nuevo para recibir otro enlace.',
    closed_title: 'Está cerrado',
    closed_text: '«{group}» ya no admite a nadie. No se ha cambiado nada.',
  },
}

/** The languages with built-in texts. */
export const builtInLanguages: ReadonlyMap<string, Wording> = new Map([
  ['en', en],
  ['de', de],
  ['fr', fr],
  ['es', es],
])

/** The language without a setting. */
export const defaultLanguage = 'en'

/** Returns the built-in texts of a language tag; English for a language that has none. Pure. */
export function wordingOf(language: string): Wording {
  return builtInLanguages.get(language.split('-')[0]!) ?? en
}

/** Puts the name of the group into a text. Pure. */
export function withGroup(text: string, group: string): string {
  return text.replaceAll('{group}', () => group)
}
