import { attributes, type Html, html } from './html.ts'

interface Labelled {
  name: string
  label: string
  /** Explains what to enter. */
  hint?: string
  /** What is wrong with what was entered. The first field with an error gets the focus. */
  error?: string
  /** Gets the focus if nothing is wrong. */
  autofocus?: boolean
  disabled?: boolean
}

interface HiddenField {
  kind: 'hidden'
  name: string
  value: string
}

interface TextField extends Labelled {
  kind: 'text' | 'email'
  value?: string
  /** For the browser's autofill, such as `given-name`. Default: `email` for an address, otherwise none. */
  autocomplete?: string
  readOnly?: boolean
  optional?: boolean
}

interface PasswordField extends Labelled {
  kind: 'password'
  /** For a new password; absent for an existing one. */
  minLength?: number
}

/** A one-time code in one field, which phones fill in and people paste into. */
interface CodeField extends Labelled {
  kind: 'code'
  /** Which keyboard a phone shows. */
  consistsOf: 'digits' | 'words'
}

export type LabelledField = TextField | PasswordField | CodeField
export type Field = HiddenField | LabelledField

export interface FieldPlace {
  /** Before the ids of the form's fields, where a page has several forms. */
  prefix?: string
  focused?: boolean
}

/** A field with its label, hint and error, which screen readers read with it. */
export function renderField(field: Field, { prefix = 'field', focused = false }: FieldPlace = {}): Html {
  if (field.kind === 'hidden') return html`<input type="hidden" name="${field.name}" value="${field.value}">`
  const { name, label, hint, error, disabled } = field
  const id = `${prefix}-${name}`
  const described = [error === undefined ? '' : `${id}-error`, hint === undefined ? '' : `${id}-hint`].filter(Boolean)
  const input = attributes({
    ...kindAttributes(field),
    autofocus: focused,
    disabled,
    'aria-invalid': error !== undefined && 'true',
    'aria-describedby': described.length > 0 && described.join(' '),
  })
  return html`<div class="field">
<label for="${id}">${label}</label>
<input id="${id}" name="${name}"${input}>
${error !== undefined && html`<p class="error" id="${id}-error" role="alert">${error}</p>\n`}${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>\n`}</div>`
}

function kindAttributes(field: LabelledField): Parameters<typeof attributes>[0] {
  switch (field.kind) {
    case 'password': {
      const { minLength } = field
      const autocomplete = minLength === undefined ? 'current-password' : 'new-password'
      return { type: 'password', autocomplete, minlength: minLength, required: true }
    }
    case 'code':
      return {
        type: 'text',
        class: 'code',
        inputmode: field.consistsOf === 'digits' ? 'numeric' : 'text',
        autocomplete: 'one-time-code',
        ...PLAIN_ENTRY,
        required: true,
      }
    case 'text':
    case 'email': {
      const { kind, value, readOnly, optional = false } = field
      const isAddress = kind === 'email'
      const autocomplete = field.autocomplete ?? (isAddress ? 'email' : 'off')
      const entry = isAddress ? { inputmode: 'email', ...PLAIN_ENTRY } : { dir: 'auto' }
      return { type: kind, value, autocomplete, ...entry, readonly: readOnly, required: !optional }
    }
  }
}

// Phones must not turn what is entered into words of a sentence.
const PLAIN_ENTRY = { autocapitalize: 'none', spellcheck: 'false' }
