// Handlers of operations on journals.

import { SysError, type journalOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import { untilClosing } from "../until-closing.ts";
import type { HandlersOf } from "./handler.ts";

export const journalHandlers: HandlersOf<typeof journalOperations> = {
  async journal({ kernel }, { pid, ...rest }) {
    return kernel.journal(pid, omitUndefined(rest));
  },
  async watch({ kernel, closing }, { pid, after }, { signal }) {
    await kernel.show(pid); // it is there: a failure after the first line has no status
    return untilClosing(kernel.watch(pid, { signal, ...omitUndefined({ after }) }), closing, pid);
  },
  async attach({ kernel, closing }, { pid, after }, { signal }) {
    await kernel.show(pid); // it is there: a failure after the first line has no status
    return untilClosing(kernel.attach(pid, { signal, ...omitUndefined({ after }) }), closing, pid);
  },
  async coreDump({ kernel }, { pid }) {
    const core = await kernel.coreDump(pid);
    if (core !== undefined) return core;
    const { state, exitCode } = await kernel.show(pid);
    throw new SysError("ENOENT", `${pid} left no core dump`, {
      hint: `it is ${state}${exitCode === null ? "" : ` with exit code ${exitCode}`}; only exit codes from 96 leave a core dump. See \`aos why ${pid}\``,
    });
  },
  async replay({ kernel }, { pid }) {
    return kernel.replay(pid);
  },
  async fork({ kernel }, { pid, at }) {
    return { pid: await kernel.fork(pid, omitUndefined({ at })) };
  },
  async retry({ kernel }, { pid, ...rest }) {
    return { pid: await kernel.retry(pid, omitUndefined(rest)) };
  },
};
