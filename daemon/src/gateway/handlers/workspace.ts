// Handlers of operations about workspaces: what was changed in `/work`, and what becomes of it.

import type { ProcessId, workspaceOperations } from "@aos/protocol";
import type { GatewayContext } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";

export const workspaceHandlers: HandlersOf<typeof workspaceOperations> = {
  async changes({ kernel, workspaces }, { pid, text = false }) {
    return workspaces.diff(await treeOf(kernel, pid), { text });
  },
  async undo({ kernel, workspaces }, { pid, force = false }) {
    return workspaces.undo(await treeOf(kernel, pid), { force });
  },
  async commit({ kernel, workspaces }, { pid, force = false }) {
    const tree = await treeOf(kernel, pid);
    const mayWrite = await kernel.policyAllows(pid, "file", "write");
    return workspaces.commit(tree, { force, mayWrite });
  },
};

const treeOf = async (kernel: GatewayContext["kernel"], pid: ProcessId): Promise<string> =>
  (await kernel.show(pid)).workspace.tree;
