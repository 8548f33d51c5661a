// Handlers of operations on processes.

import type { ProcessId, processOperations, ProcessState } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import { labelOf, readSpawn } from "../read-spawn.ts";
import { refuseIfClosing } from "../until-closing.ts";
import type { HandlersOf } from "./handler.ts";

export const processHandlers: HandlersOf<typeof processOperations> = {
  async spawn(gateway, args, { pid, caller }) {
    const request = { ...readSpawn(gateway, args), ...omitUndefined({ pid }), by: caller.id };
    const folders = [request.folder, args.cwd].filter((folder) => folder !== undefined);
    return { pid: await gateway.policy.admit(folders, () => gateway.kernel.spawn(request)) };
  },
  async list({ kernel }, { states, pids, since, ...rest }) {
    return kernel.list(
      omitUndefined({
        ...rest,
        states: states?.split(",") as ProcessState[] | undefined,
        pids: pids?.split(",") as ProcessId[] | undefined,
        startedSince: since === undefined ? undefined : Date.parse(since),
      }),
    );
  },
  async show({ kernel }, { pid }) {
    return kernel.show(pid);
  },
  manifest: ({ kernel }, { pid }) => kernel.manifest(pid),
  async wait({ kernel, closing }, { pid, timeoutMs }, { signal }) {
    const ending = await kernel.wait(pid, { signal, ...omitUndefined({ timeoutMs }) });
    refuseIfClosing(closing, pid);
    return ending;
  },
  async signal({ kernel }, { pid, signal }) {
    await kernel.signal(pid, signal);
    return { pid, signal };
  },
  async send({ kernel }, { pid, body, label, ...rest }) {
    const more = omitUndefined({ ...rest, label: labelOf(label) });
    return { id: await kernel.send(pid, body, more) };
  },
  async invoke({ kernel, closing }, { pid, label, ...rest }, { signal }) {
    const request = { signal, ...omitUndefined({ ...rest, label: labelOf(label) }) };
    try {
      return await kernel.invoke(pid, request);
    } catch (error) {
      refuseIfClosing(closing, pid);
      throw error;
    }
  },
  async nice({ kernel }, { pid, lane }, { caller }) {
    await kernel.nice(pid, lane, caller.name);
    return { pid, lane };
  },
};
