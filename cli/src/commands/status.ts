import type { Command } from "../command.ts";
import { ago, facts } from "../table.ts";

export const command: Command = async ({ client, out }) => {
  const status = await client.status();
  const states = Object.entries(status.states).map(([state, count]) => `${count} ${state}`);
  await out.data(status, () =>
    facts([
      ["daemon", `${status.daemon.version}, pid ${status.daemon.pid}`],
      ["up for", ago(status.daemon.startedAt, Date.now())],
      ["home", status.home],
      ["socket", status.socket],
      ["store", status.store],
      ["processes", states.join(", ") || "none"],
    ]),
  );
};
