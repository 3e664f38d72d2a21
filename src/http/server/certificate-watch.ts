// Replaces the certificate of a running service: the operator's when its files change, the local CA's before it expires.
// The files are read instead of watched: the pair may be renamed, switched by a symbolic link of its folder (Kubernetes,
// certbot) or lie on a network file system, and notifications miss some of these.
import { X509Certificate } from 'node:crypto';
import type { Logger } from 'pino';
import { type Certificate, expiryOf, renewalMs } from './certificate.ts';

const day = 24 * 3600 * 1000;
const lookEveryMs = 5000;

export interface CertificateWatchOptions {
  certificate: Certificate;
  /** Returns `known` unless there is another certificate. */
  read: (known: Certificate) => Promise<Certificate>;
  use: (certificate: Certificate) => void;
  logger: Pick<Logger, 'info' | 'warn'>;
}

const dateOf = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** What is wrong with the validity of the certificate, if anything. */
function findValidityProblem(certificate: Certificate, nowMs: number): string | undefined {
  const validFromMs = Date.parse(new X509Certificate(certificate.cert).validFrom);
  const expiresAtMs = expiryOf(certificate);
  const remedy = certificate.authorityFile
    ? 'The local CA could not renew it: the data folder must be writable'
    : 'Replace the files of PATCHBAY_TLS_CERT and PATCHBAY_TLS_KEY; they are read again without a restart';
  const effect = 'Clients and proxies that verify it refuse the connection';
  if (validFromMs > nowMs)
    return `the certificate is not valid before ${dateOf(validFromMs)}. ${effect}. Check the clock of this machine.`;
  if (expiresAtMs <= nowMs) return `the certificate expired on ${dateOf(expiresAtMs)}. ${effect}. ${remedy}.`;
  if (expiresAtMs - nowMs >= renewalMs) return undefined;
  const days = Math.floor((expiresAtMs - nowMs) / day);
  return `the certificate expires on ${dateOf(expiresAtMs)}, in ${days} ${days === 1 ? 'day' : 'days'}. ${remedy}.`;
}

export class CertificateWatch {
  readonly #options: CertificateWatchOptions;
  #certificate: Certificate;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #lastFailure: string | undefined;
  /** When each kind of warning was last logged. */
  readonly #warnedAtMs = new Map<string, number>();

  constructor(options: CertificateWatchOptions) {
    this.#options = options;
    this.#certificate = options.certificate;
  }

  get expiresAtMs(): number {
    return expiryOf(this.#certificate);
  }

  start(): void {
    this.#warnOfValidity();
    this.#timer = setInterval(() => void this.#look(false), lookEveryMs).unref();
  }

  /** Waits for no read: a file system that does not respond must not delay the end of the service. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** Reads the certificate now and logs the result in any case. */
  async reload(): Promise<void> {
    await this.#reading;
    await this.#look(true);
  }

  #look(isRequested: boolean): Promise<void> {
    // A file system that does not respond must not collect waiting reads.
    this.#reading ??= this.#read(isRequested).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(isRequested: boolean): Promise<void> {
    const { read, use, logger } = this.#options;
    try {
      const certificate = await read(this.#certificate);
      this.#lastFailure = undefined;
      if (certificate !== this.#certificate) {
        use(certificate);
        this.#certificate = certificate;
        this.#warnedAtMs.clear();
        logger.info(`TLS: new connections use the new certificate, valid until ${dateOf(this.expiresAtMs)}`);
      } else if (isRequested) logger.info(`TLS: the certificate is unchanged, valid until ${dateOf(this.expiresAtMs)}`);
    } catch (error) {
      this.#onFailure(error as Error, isRequested);
    }
    this.#warnOfValidity();
  }

  #onFailure({ message }: Error, isRequested: boolean): void {
    const text = `TLS: the earlier certificate stays in use, because the new one cannot be used. ${message}`;
    // Certificate and key are replaced one after the other, and a look may fall between.
    if (isRequested) this.#options.logger.warn(text);
    else if (message === this.#lastFailure) this.#warnDaily(message, text);
    this.#lastFailure = message;
  }

  #warnOfValidity(): void {
    const problem = findValidityProblem(this.#certificate, Date.now());
    if (problem) this.#warnDaily('validity', `TLS: ${problem}`);
  }

  #warnDaily(kind: string, text: string): void {
    const nowMs = Date.now();
    if (nowMs - (this.#warnedAtMs.get(kind) ?? Number.NEGATIVE_INFINITY) < day) return;
    this.#warnedAtMs.set(kind, nowMs);
    this.#options.logger.warn(text);
  }
}
