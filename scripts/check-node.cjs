// The first script of an installation (npm's preinstall) and of .ci/run: refuses a Node with which npm silently omits the
// native binding of the portal's bundler. It must run on old versions too, hence CommonJS and the syntax of Node 8.
const required = require('../package.json').engines.node;

/** npm puts the project's own Node first on the PATH; only npm knows the version of the Node that installs. */
function findVersion() {
  const agent = /\bnode\/v(\S+)/.exec(process.env.npm_config_user_agent || '');
  return agent ? agent[1] : process.versions.node;
}

const toNumbers = (version) => version.split('.').map(Number);

function compare(left, right) {
  const part = [0, 1].find((index) => left[index] !== right[index]) || 0;
  return left[part] - right[part];
}

/** Understands the two forms in package.json: ^1.2.0 and >=1.2.0. */
function isAllowed(version) {
  const given = toNumbers(version);
  return required.split(' || ').some((range) => {
    const lowest = toNumbers(/\d.*/.exec(range)[0]);
    return compare(given, lowest) >= 0 && (range[0] !== '^' || given[0] === lowest[0]);
  });
}

const version = findVersion();
if (!isAllowed(version)) {
  console.error(
    `Node ${version} cannot install Patchbay, which needs Node ${required}. Install another Node and run npm ci again.`,
  );
  process.exit(1);
}
