import type { Command } from "../command.ts";
import { pageAddress } from "../page-address.ts";
import { ago, facts } from "../table.ts";

const command: Command = async ({ client, options, out, endpoint }) => {
  const status = await client.status();
  const states = Object.entries(status.states).map(([state, count]) => `${count} ${state}`);
  // A key for each look would be one too many; and who comes from elsewhere has a token.
  const isOnce = out.format === "text" && !options.flag("watch") && endpoint.remote === undefined;
  const page = isOnce ? await pageAddress(client) : null;
  await out.data(status, () =>
    facts([
      ["daemon", `${status.daemon.version}, pid ${status.daemon.pid}`],
      ["up for", ago(status.daemon.startedAt, Date.now())],
      ["home", status.home],
      ["socket", status.socket],
      ["url", status.url ?? "none (only the socket)"],
      ...(status.url === null ? [] : [["clients", "see `aos connect`"] as const]),
      ...(page === null ? [] : [["page", `${page} (one login, valid for five minutes)`] as const]),
      ["store", status.store],
      ...(status.trouble === undefined ? [] : [["trouble", status.trouble] as const]),
      ["processes", states.join(", ") || (status.trouble === undefined ? "none" : "not known")],
    ]),
  );
};

export default command;
