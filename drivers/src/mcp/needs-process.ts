// NeedsProcess: only a process can have it done, since somebody has to sign in.

import { SysError } from "@aos/protocol";

export class NeedsProcess extends SysError {}
