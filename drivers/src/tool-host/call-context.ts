// Call context: the services for requests of a host, valid while the call lasts.
//
// TOOL-HOST-CALL-CONTEXT-1  When the call ends, its remaining work is stopped, and nothing more is authorised.

import type { DeviceContext } from "@aos/protocol";

export function whileItLasts(context: DeviceContext, over: AbortSignal): DeviceContext {
  const mustLast = () => over.throwIfAborted();
  return {
    pid: context.pid,
    tenant: context.tenant,
    tree: context.tree,
    workspace: context.workspace,
    ...(context.folder === undefined ? {} : { folder: context.folder }),
    key: context.key,
    get hasRead() {
      return context.hasRead;
    },
    signal: AbortSignal.any([context.signal, over]),
    authorize: (touch) => {
      mustLast();
      context.authorize(touch);
    },
    permits: (touch) => !over.aborted && context.permits(touch),
    granted: (kind) => {
      mustLast();
      return context.granted(kind);
    },
    mayWriteBelow: async (folder) => {
      mustLast();
      await context.mayWriteBelow(folder);
    },
    labelsBelow: async (folder) => {
      mustLast();
      return context.labelsBelow(folder);
    },
    sees: (label) => {
      mustLast();
      context.sees(label);
    },
    wroteBelow: async (folder, paths) => {
      mustLast();
      await context.wroteBelow(folder, paths);
    },
    heldBy: (sandbox) => context.heldBy(sandbox),
    ask: async (question) => {
      mustLast();
      return context.ask(question);
    },
    progress: (delta) => context.progress(delta),
    label: (label) => context.label(label),
    secret: (name, place) => {
      mustLast();
      return context.secret(name, place);
    },
  };
}
