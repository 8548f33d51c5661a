// Handlers of operations on workflows.

import {
  bodyMismatch,
  isEnded,
  type Json,
  SysError,
  type WorkflowInfo,
  type workflowOperations,
} from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import { takeBack } from "../../workflows/armed-calls.ts";
import {
  isWorkflow,
  mustBeWorkflow,
  queryWorkflow,
  workflowInfoOf,
  workflowReportOf,
} from "../../workflows/workflow-report.ts";
import { labelOf } from "../read-spawn.ts";
import type { HandlersOf } from "./handler.ts";

const SHOWN = 50;
/** Of the newest processes. */
const MOST_LOOKED = 5000;

export const workflowHandlers: HandlersOf<typeof workflowOperations> = {
  async workflows({ kernel }, { tenant, limit = SHOWN }) {
    const all = await kernel.list({ ...omitUndefined({ tenant }), limit: MOST_LOOKED });
    const found: WorkflowInfo[] = [];
    for (const info of all) {
      if (found.length >= limit) break;
      if (isWorkflow(await kernel.show(info.pid))) found.push(await workflowInfoOf(kernel, info));
    }
    return found;
  },

  workflow: ({ kernel }, { pid }) => workflowReportOf(kernel, pid),

  async queryWorkflow({ kernel }, { pid, query }) {
    return { pid, query, value: await queryWorkflow(kernel, pid, query) };
  },

  async signalWorkflow({ kernel }, { pid, signal, body = null, label }) {
    const detail = await kernel.show(pid);
    mustBeWorkflow(detail);
    if (isEnded(detail.state))
      throw new SysError("ESTATE", `${pid} has ended: it is ${detail.state}`);
    const { manifest } = await kernel.manifest(pid);
    const { signals = {} } = manifest as unknown as Declared;
    if (!Object.hasOwn(signals, signal))
      throw new SysError("ENOENT", `${pid} takes no message ${signal}`, {
        hint: `it takes ${Object.keys(signals).join(", ") || "none"}`,
      });
    const { schema } = signals[signal]!;
    const misfit = schema === undefined ? undefined : bodyMismatch(schema, body, "the message");
    if (misfit !== undefined) throw new SysError("EINVAL", misfit);
    const id = await kernel.send(pid, body, {
      type: signal,
      ...omitUndefined({ label: labelOf(label) }),
    });
    return { id };
  },

  async takeBack({ kernel }, { pid }, { caller }) {
    const { pid: started, armed } = await takeBack(kernel, pid, caller.id);
    return {
      pid: started,
      armed: armed.map(({ step, tool, args }) => ({ step, tool, args })),
    };
  },
};

interface Declared {
  readonly signals?: Readonly<Record<string, { readonly schema?: Json }>>;
}
