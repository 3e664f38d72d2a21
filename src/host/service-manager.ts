// Tells systemd when the service is ready (Type=notify). Node has no datagram sockets of the Unix domain, and a native
// module for one message would be a dependency that is compiled per platform: systemd's own program sends it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Logger } from 'pino';

// Other programs that the service starts must not speak for it.
const { NOTIFY_SOCKET: socket } = process.env;
delete process.env.NOTIFY_SOCKET;

/** Does nothing without a service manager. `words` are arguments of systemd-notify. */
export async function notifyServiceManager(words: string[], logger: Logger): Promise<void> {
  if (!socket) return;
  try {
    await promisify(execFile)('systemd-notify', words, { env: { ...process.env, NOTIFY_SOCKET: socket } });
  } catch (error) {
    logger.error(
      { err: error },
      'systemd-notify failed, so systemd does not know that the service is ready and systemctl start waits. ' +
        'Install the package systemd, or set Type=exec in the unit',
    );
  }
}
