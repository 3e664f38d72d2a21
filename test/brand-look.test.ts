// The name and look of a brand: wrong files, the API document, the logo, the colours, and mails through a real SMTP server.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { SMTPServer } from 'smtp-server';
import { loadBrand } from '../src/brand-file.ts';
import { providers } from '../src/connector-kinds/providers.ts';
import { demoPassword } from '../src/demo/demo-world.ts';
import { contrast, deriveAccentColours, type Scheme } from '../src/http/server/portal-colours.ts';
import { composeMessage } from '../src/mail/mailer.ts';
import { freePort } from './harness/debian-postgres.ts';
import { basic, startFixture } from './harness/service.ts';

const folder = await mkdtemp(join(tmpdir(), 'pbbrand-'));
after(() => rm(folder, { recursive: true, force: true }));
const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>';
const logos: Record<string, string | Buffer> = {
  'logo.svg': svg,
  'script.svg': svg.replace('<rect', '<script>alert(1)</script><rect'),
  'handler.svg': svg.replace('<rect', '<rect onload="alert(1)"'),
  'page.svg': '<html><svg></svg></html>',
  'large.svg': svg.replace('<rect', `<!--${' '.repeat(200_000)}--><rect`),
  'text.png': 'not an image',
  'wide.png': Buffer.from('89504e470d0a1a0a0000000d4948445200001000000000100806000000', 'hex'),
  'logo.gif': 'GIF89a',
};
for (const [name, content] of Object.entries(logos)) await writeFile(join(folder, name), content);

async function load(content: object) {
  const file = join(folder, 'brand.json');
  await writeFile(file, JSON.stringify(content));
  return loadBrand(file, providers);
}

const reset = (text: string[]) => ({ mail: { passwordReset: { text } } });
const faults: [content: object, reason: RegExp][] = [
  [{ portal: [] }, /must give portal as an object/],
  [{ portal: { colour: 'red' } }, /unknown keys in portal: colour \(known: name, logo, colours, /],
  [{ portal: { name: '' } }, /portal\.name as one line of 1 to 60 characters/],
  [{ portal: { name: 7 } }, /portal\.name/],
  [{ portal: { name: 'x'.repeat(61) } }, /portal\.name/],
  [{ portal: { name: 'Acme\nConnect' } }, /portal\.name/],
  [{ portal: { name: 'Acme \u202etcennoC' } }, /portal\.name/],
  [{ portal: { logo: 7 } }, /portal\.logo as an object/],
  [{ portal: { logo: { light: 'logo.svg' } } }, /portal\.logo as a text, or as light and dark/],
  [{ portal: { logo: 'nowhere.svg' } }, /portal\.logo nowhere\.svg, which cannot be read: ENOENT/],
  [{ portal: { logo: 'logo.gif' } }, /portal\.logo logo\.gif, which must be an \.svg or \.png file/],
  [{ portal: { logo: 'script.svg' } }, /portal\.logo script\.svg, which contains a script/],
  [{ portal: { logo: 'handler.svg' } }, /portal\.logo handler\.svg, which contains a script/],
  [{ portal: { logo: 'page.svg' } }, /portal\.logo page\.svg, which is not an SVG image/],
  [{ portal: { logo: 'large.svg' } }, /portal\.logo large\.svg, which has 196 kB; at most 128 kB/],
  [{ portal: { logo: 'text.png' } }, /portal\.logo text\.png, which is not a PNG image/],
  [{ portal: { logo: 'wide.png' } }, /portal\.logo wide\.png, which has 4096 × 16 pixels/],
  [{ portal: { colours: 'red' } }, /portal\.colours as an object/],
  [{ portal: { colours: { secondary: '#000000' } } }, /unknown keys in portal\.colours: secondary/],
  [{ portal: { colours: { primary: 'red' } } }, /portal\.colours\.primary in hexadecimal/],
  [{ portal: { colours: { primary: '#fff' } } }, /portal\.colours\.primary in hexadecimal/],
  [
    { portal: { colours: { primary: '#fefefe' } } },
    /primary as #fefefe, which has a contrast of 1\.0 to the light page/,
  ],
  [
    { portal: { colours: { primary: { light: '#112233', dark: '#112233' } } } },
    /1\.\d to the dark page.*lighter colour/,
  ],
  [{ portal: { supportUrl: 'http://acme.example' } }, /portal\.supportUrl as a URL that starts with https/],
  [{ portal: { supportUrl: 'javascript:alert(1)' } }, /portal\.supportUrl/],
  [{ portal: { supportEmail: 'nobody' } }, /portal\.supportEmail as a mail address/],
  [{ mail: { from: 'x' } }, /unknown keys in mail: from \(known: fromName, signature, /],
  [{ mail: { fromName: 'Acme\r\nBcc: all@acme.example' } }, /mail\.fromName/],
  [{ mail: { signature: 'Acme' } }, /mail\.signature as a list of 1 to 100 lines/],
  [{ mail: { signature: ['Acme\nConnect'] } }, /mail\.signature/],
  [{ mail: { signature: ['{link}'] } }, /mail\.signature: unknown placeholder \{link\}/],
  [
    { mail: { passwordReset: { subject: 'Hello\r\nBcc: all@acme.example' } } },
    /mail\.passwordReset\.subject as one line/,
  ],
  [
    { mail: { passwordReset: { subject: '{token}' } } },
    /mail\.passwordReset: subject has the unknown placeholder \{token\}/,
  ],
  [reset(['{tocken}']), /mail\.passwordReset: text has the unknown placeholder \{tocken\} \(known: \{greeting\}, /],
  [
    reset(['{link}', 'Code: {token}']),
    /mail\.passwordReset: text needs a line that contains \{token\} and nothing else/,
  ],
  [reset(['{token}']), /mail\.passwordReset: text needs a line that contains \{link\}/],
  [{ mail: { accountChange: { text: ['{what} {time}'] } } }, /mail\.accountChange: text must contain \{address\}/],
];

describe('a brand file that is wrong names itself and the field', () => {
  for (const [content, reason] of faults)
    test(JSON.stringify(content).slice(0, 100), async () => {
      await assert.rejects(load(content), (error: Error) => {
        assert.ok(error.message.startsWith(`The brand file ${join(folder, 'brand.json')} `), error.message);
        assert.match(error.message, reason);
        return true;
      });
    });
});

test('whatever the primary colour, text on the accent colours has the contrast of WCAG AA', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
  const pages = { light: ['#ffffff', '#f5f7f8', '#f1f3f5'], dark: ['#171c21', '#101417', '#222930', '#2a3239'] };
  fc.assert(
    fc.property(colour, fc.constantFrom<Scheme>('light', 'dark'), (primary, scheme) => {
      const colours = deriveAccentColours(primary, scheme);
      const { filled, filledHover, onFilled, line, onLine, text, light, lightHover, onLight } = colours;
      assert.equal(filled, primary);
      const pairs = [
        ...[filled, filledHover].map((background) => [onFilled, background] as const),
        ...[light, lightHover].map((background) => [onLight, background] as const),
        ...pages[scheme].map((background) => [text, background] as const),
        [onLine, line] as const,
      ];
      for (const [front, back] of pairs) assert.ok(contrast(front, back) >= 4.5, `${front} on ${back} (${scheme})`);
      for (const page of pages[scheme]) assert.ok(contrast(line, page) >= 3, `${line} on ${page} (${scheme})`);
    }),
    { numRuns: 500 },
  );
});

const received: string[] = [];
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, _session, done) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      received.push(Buffer.concat(chunks).toString('utf8').replaceAll('\r\n', '\n'));
      done();
    });
  },
});
after(() => server.close(() => undefined));

describe('a service with a brand', async () => {
  const file = join(folder, 'whole.json');
  const name = 'Télécom "Réunis", SA';
  await writeFile(
    file,
    JSON.stringify({
      portal: { name, logo: 'logo.svg', colours: { primary: '#ffcc00' } },
      mail: {
        fromName: name,
        signature: ['-- ', 'Support {name}: +33 1 23 45 67 89'],
        passwordReset: {
          subject: '{name} : nouveau mot de passe',
          text: ['Bonjour,', '', '{token}', '', '{link}', '', '{name}'],
        },
      },
    }),
  );
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const f = await startFixture([
    ...['--brand', file, '--smtp-url', `smtp://127.0.0.1:${port}`],
    ...['--mail-from', 'Patchbay <no-reply@telecom.example>'],
  ]);
  after(() => f.close());
  const mailWith = async (pattern: RegExp): Promise<string> => {
    for (const until = Date.now() + 60_000; Date.now() < until; await pause(50)) {
      const found = received.find((mail) => pattern.test(mail));
      if (found) return found;
    }
    return assert.fail(`no mail matches ${pattern}: ${received.join('\n')}`);
  };
  /** The text of a header with its encoded words decoded. */
  const header = (mail: string, field: string): string => {
    const line = new RegExp(`^${field}: (.*)$`, 'm').exec(mail)?.[1] ?? '';
    assert.match(line, /^[\x20-\x7e]+$/, 'headers are ASCII');
    return line
      .replaceAll(/(\?=) (?==\?)/g, '$1')
      .replaceAll(/=\?utf-8\?B\?([^?]+)\?=/g, (_, word: string) => Buffer.from(word, 'base64').toString());
  };

  test('sends reset mails with its sender, subject, text and signature, whose token works', async () => {
    const request = { grant_type: 'client_credentials', scope: 'reset', username: 'viewer@meridian.example' };
    assert.equal((await f.client.post('/auth/reset', request, { basic })).status, 200);
    const mail = await mailWith(/^To: viewer@meridian\.example$/m);
    assert.equal(header(mail, 'From'), `${name} <no-reply@telecom.example>`);
    assert.equal(header(mail, 'Subject'), `${name} : nouveau mot de passe`);
    const [, text = ''] = mail.split('\n\n', 2);
    assert.equal(text, 'Bonjour,');
    assert.ok(mail.trimEnd().endsWith(`${name}\n\n-- \nSupport ${name}: +33 1 23 45 67 89`), mail);
    assert.ok(!/patchbay/i.test(mail.replace(/^Message-ID.*$/m, '')), mail);
    const token = mail.split('\n').find((line) => /^pbx_\w+$/.test(line));
    assert.ok(mail.includes(`/portal/new-password#${token}\n`));
    assert.equal((await f.client.put('/me/info', { password: 'velvet harbour ninety maples' }, { token })).status, 200);
  });

  test('names itself in the mail about a changed password, whose text is not replaced', async () => {
    const operator = await f.as('operator@meridian.example');
    const change = { password: 'quiet lantern over seven hills', currentPassword: demoPassword };
    assert.equal((await operator.put('/me/info', change)).status, 200);
    const mail = await mailWith(/^To: operator@meridian\.example$/m);
    assert.equal(header(mail, 'Subject'), `Your ${name} password was changed`);
    assert.ok(mail.includes(`the password of your ${name} account was changed.\n`), mail);
  });

  test('is the title of the API document and of the reference', async () => {
    assert.equal((await f.client.get('/openapi.json')).body.info.title, name);
    const page = (await f.client.get('/docs')).text;
    assert.match(page, /<title>Télécom &#34;Réunis&#34;, SA API reference<\/title>/);
    assert.ok(!/Patchbay API/.test(page));
  });

  test('serves its logo as an image that cannot run a script, and its page without another name', async () => {
    const page = await f.client.get('/portal/');
    assert.match(page.text, /<title>Télécom &#34;Réunis&#34;, SA<\/title>/);
    assert.ok(!page.text.includes('Patchbay'), page.text);
    const icons = [...page.text.matchAll(/<link rel="icon" type="image\/svg\+xml" href="([^"]+)" media="([^"]+)"/g)];
    assert.deepEqual(
      icons.map(([, , media]) => media),
      ['(prefers-color-scheme: light)', '(prefers-color-scheme: dark)'],
    );
    const logo = await f.client.get(icons[0]?.[1] ?? '');
    assert.deepEqual([logo.status, logo.text], [200, svg]);
    assert.deepEqual(
      ['content-type', 'content-security-policy', 'cache-control', 'x-content-type-options'].map(
        (field) => logo.headers[field],
      ),
      [
        'image/svg+xml',
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'public, max-age=31536000, immutable',
        'nosniff',
      ],
    );
  });
});

test('a header of a mail is ASCII, in words that mail programs join again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }), (subject) => {
      fc.pre(!/[\r\n]/.test(subject));
      const message = composeMessage('a@b.example', { to: 'c@d.example', subject, text: '' });
      const line = /^Subject: (.*)$/m.exec(message)?.[1] ?? '';
      if (line === subject) return;
      assert.ok(
        line.split(' ').every((word) => /^=\?utf-8\?B\?[\w+/=]+\?=$/.test(word) && word.length <= 75),
        line,
      );
      const parts = line.split(' ').map((word) => Buffer.from(word.slice(10, -2), 'base64').toString());
      assert.equal(parts.join(''), subject);
    }),
  );
});
