// Handlers of operations about the daemon itself.

import type { daemonOperations } from "@aos/protocol";
import type { HandlersOf } from "./handler.ts";

export const daemonHandlers: HandlersOf<typeof daemonOperations> = {
  async status({ kernel, daemon, socket, home, url }, _, { caller }) {
    const places =
      caller.tenant === null ? { socket, home: home.folder } : { socket: "", home: "" };
    return { daemon, url: url(), ...places, ...(await kernel.status()) };
  },
  async shutdown(gateway) {
    gateway.stop();
    return { stopping: true };
  },
  config: async ({ settings }) => settings(),

  // Loaded at need: a daemon that is not examined does not have to know the attacks.
  doctor: async (gateway, _, { onProgress }) =>
    (await import("../../doctor/examine.ts")).runDoctor(gateway, onProgress),
  attack: async (gateway, { only }, { signal }) =>
    (await import("../../doctor/run-attacks.ts")).runAttackPackage(gateway, { only, signal }),
};
