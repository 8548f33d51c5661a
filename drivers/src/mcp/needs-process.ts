// NeedsProcess: the error for an action that only a process can start, because a person must sign in.

import { SysError } from "@aos/protocol";

export class NeedsProcess extends SysError {}
