// The texts of mails, as templates with named placeholders. A brand may replace them.

export interface MailTemplate {
  subject: string;
  text: string;
}

export interface MailTexts {
  /** The name of the service. */
  name: string;
  passwordReset: MailTemplate;
  accountChange: MailTemplate;
  /** Follows every text; may contain {name}; empty: none. */
  signature: string;
}

export type MailKind = 'passwordReset' | 'accountChange';

interface MailRules {
  subject: string[];
  text: string[];
  /** Placeholders that stand alone on a line, so that a token or link can be copied as a whole. */
  ownLine: string[];
  required: string[];
}

export const mailRules: Record<MailKind, MailRules> = {
  passwordReset: {
    subject: ['name'],
    text: ['greeting', 'name', 'token', 'link'],
    ownLine: ['token', 'link'],
    required: ['token', 'link'],
  },
  accountChange: {
    subject: ['name', 'what', 'changed'],
    text: ['greeting', 'name', 'what', 'changed', 'time', 'address'],
    ownLine: [],
    required: ['what', 'time', 'address'],
  },
};

/** The texts without a brand, which has the name. */
export const defaultMailTexts: Omit<MailTexts, 'name'> = {
  passwordReset: {
    subject: 'Set your {name} password',
    text: [
      '{greeting}',
      '',
      'a new password was asked for at {name}. This token sets it, once, within 15 minutes:',
      '',
      '{token}',
      '',
      'Choose the new password on this page, which knows the token:',
      '',
      '{link}',
      '',
      'Programs send it as the bearer token of PUT /me/info, with the new password in the body.',
      '',
      'If you did not ask for this, ignore this mail: nothing has changed.',
    ].join('\n'),
  },
  accountChange: {
    subject: 'Your {name} {what} {changed}',
    text: [
      '{greeting}',
      '',
      'the {what} of your {name} account {changed}.',
      '',
      'Time:    {time}',
      'Address: {address}',
      '',
      'If you did not expect this, tell an admin of your organisation at once.',
    ].join('\n'),
  },
  signature: '',
};

const placeholder = /\{(\w*)\}/g;
const list = (names: string[]): string => names.map((name) => `{${name}}`).join(', ');

const findUnknown = (text: string, known: string[]): string | undefined =>
  [...text.matchAll(placeholder)].map(([, name = '']) => name).find((name) => !known.includes(name));

export function findSignatureError(signature: string): string | undefined {
  const unknown = findUnknown(signature, ['name']);
  return unknown === undefined ? undefined : `unknown placeholder {${unknown}} (known: {name})`;
}

/** The first error of a template, as the field and what is wrong with it. */
export function findTemplateError(kind: MailKind, { subject, text }: MailTemplate): string | undefined {
  const rules = mailRules[kind];
  for (const [field, content] of [
    ['subject', subject],
    ['text', text],
  ] as const) {
    const unknown = findUnknown(content, rules[field]);
    if (unknown !== undefined)
      return `${field} has the unknown placeholder {${unknown}} (known: ${list(rules[field])})`;
  }
  const lines = text.split('\n');
  const torn = rules.ownLine.find((name) => !lines.includes(`{${name}}`));
  if (torn) return `text needs a line that contains {${torn}} and nothing else`;
  const missing = rules.required.find((name) => !text.includes(`{${name}}`));
  return missing && `text must contain {${missing}}`;
}

/** Fills in a template. Values are not searched for placeholders. */
export function renderTemplate(
  { name, signature }: MailTexts,
  { subject, text }: MailTemplate,
  values: Record<string, string>,
): MailTemplate {
  const all: Record<string, string> = { ...values, name };
  const fill = (template: string): string => template.replaceAll(placeholder, (_, key: string) => all[key] ?? '');
  return { subject: fill(subject), text: `${fill(text)}\n${signature ? `\n${fill(signature)}\n` : ''}` };
}

export const renderMail = (texts: MailTexts, kind: MailKind, values: Record<string, string>): MailTemplate =>
  renderTemplate(texts, texts[kind], values);
