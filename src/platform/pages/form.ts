import { type Field, type LabelledField, renderField } from './fields.ts'
import { attributes, type Html, html, type Url } from './html.ts'
import { alertBox } from './parts.ts'

interface Button {
  label: string
  /** Sent with the form if this button is pressed. */
  name?: string
  value?: string
  disabled?: boolean
}

interface FormParts {
  /** Where it is posted; default: the path of the page. */
  action?: Url
  /** What went wrong that concerns no single field. */
  alert?: string
  fields: readonly Field[]
  /** Between the fields and the buttons. */
  content?: Html | null
  /** Absent where the content has the buttons. */
  button?: Button | string
  /** Needs no field to be filled in. Without a value it sends `yes`. */
  otherButton?: Button
  /** Distinguishes the forms of a page. */
  prefix?: string
}

/** A form that works without a script. The focus is on the first field with an error, or on the alert. */
export function form({
  action,
  alert,
  fields,
  content = null,
  button,
  otherButton,
  prefix = 'field',
}: FormParts): Html {
  const focused = findFocus(fields, alert)
  // `?` keeps the secret of a link out of the address that the form is posted to.
  const attribute = action ? html`<form method="post" action="${action}">` : html`<form method="post" action="?">`
  const main = typeof button === 'string' ? { label: button } : button
  return html`${alert !== undefined && alertBox(alert, { focused: focused === null })}${attribute}
${fields.map((field) => html`${renderField(field, { prefix, focused: field === focused })}\n`)}${content}${main ? renderButton(main) : null}${
  otherButton ? secondaryButton({ value: 'yes', ...otherButton }) : null
}</form>`
}

/** Null: the alert gets the focus. Undefined: nothing does. */
function findFocus(fields: readonly Field[], alert: string | undefined): Field | null | undefined {
  const labelled = fields.filter((field): field is LabelledField => field.kind !== 'hidden' && field.disabled !== true)
  const wrong = labelled.find(({ error }) => error !== undefined)
  if (wrong) return wrong
  return alert === undefined ? labelled.find(({ autofocus }) => autofocus) : null
}

/** The main button of a form. */
export function renderButton({ label, name, value, disabled }: Button): Html {
  return html`<button class="button"${attributes({ name, value, disabled })}>${label}</button>\n`
}

/** Another button of a form, for which no field must be filled in. */
export function secondaryButton({ label, name, value, disabled }: Button): Html {
  return html`<button class="button other" formnovalidate${attributes({ name, value, disabled })}>${label}</button>\n`
}
