// The first line of a mail. Names are chosen by others than the recipient, and a mail of the service must not carry their text.

const maxNameLength = 40;
/** Text that mail programs turn into a link: a scheme, or a word with a dot inside. */
const looksLikeLink = /:\/\/|www|\p{L}[.。．｡]\p{L}/iu;

export const greeting = (name: string): string =>
  [...name].length <= maxNameLength && !looksLikeLink.test(name) ? `Hello ${name},` : 'Hello,';
