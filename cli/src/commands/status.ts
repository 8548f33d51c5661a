import type { Command } from "../command.ts";
import { pageAddress } from "../page-address.ts";
import { ago, facts } from "../table.ts";

export const command: Command = async ({ client, out }) => {
  const status = await client.status();
  const states = Object.entries(status.states).map(([state, count]) => `${count} ${state}`);
  const page = out.format === "text" ? await pageAddress(client) : null;
  await out.data(status, () =>
    facts([
      ["daemon", `${status.daemon.version}, pid ${status.daemon.pid}`],
      ["up for", ago(status.daemon.startedAt, Date.now())],
      ["home", status.home],
      ["socket", status.socket],
      ["url", status.url ?? "none: the socket only"],
      ...(page === null ? [] : [["page", `${page} (opens once, within minutes)`] as const]),
      ["store", status.store],
      ["processes", states.join(", ") || "none"],
    ]),
  );
};
