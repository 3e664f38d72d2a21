// Raises the priority of this process and of all that it starts: tests that depend on time run as if they were alone.
import { constants, setPriority } from 'node:os';

setPriority(constants.priority.PRIORITY_HIGH);
