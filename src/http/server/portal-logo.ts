// A logo of the brand. The portal shows it as an image, in which browsers run no script.
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

export interface Logo {
  type: string;
  bytes: Buffer;
  extension: string;
}

const maxBytes = 128 * 1024;
const maxPixels = 2048;
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function findPngError(bytes: Buffer): string | undefined {
  if (!bytes.subarray(0, 8).equals(pngSignature) || bytes.length < 24) return 'is not a PNG image';
  // The header chunk comes first: width and height.
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return width > maxPixels || height > maxPixels
    ? `has ${width} × ${height} pixels; at most ${maxPixels} × ${maxPixels} are allowed`
    : undefined;
}

function findSvgError(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  if (!/^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>]/i.test(text))
    return 'is not an SVG image';
  if (!/\bxmlns\s*=/.test(text))
    return 'has no xmlns="http://www.w3.org/2000/svg", without which browsers do not show it';
  if (/<script|<foreignObject|\son[a-z]+\s*=|javascript:/i.test(text))
    return 'contains a script, an event handler or a foreignObject; remove it';
  return undefined;
}

const formats: Record<string, { type: string; findError: (bytes: Buffer) => string | undefined }> = {
  '.svg': { type: 'image/svg+xml', findError: findSvgError },
  '.png': { type: 'image/png', findError: findPngError },
};

/** Throws an error whose message completes "The logo …". */
export async function readLogo(file: string): Promise<Logo> {
  const extension = extname(file).toLowerCase();
  const format = formats[extension];
  if (!format) throw new Error('must be an .svg or .png file');
  const bytes = await readFile(file).catch((error) => {
    throw new Error(`cannot be read: ${error.message}`);
  });
  if (bytes.length > maxBytes)
    throw new Error(`has ${Math.ceil(bytes.length / 1024)} kB; at most ${maxBytes / 1024} kB are allowed`);
  const error = format.findError(bytes);
  if (error) throw new Error(error);
  return { type: format.type, bytes, extension };
}
