// RunAccess: what a run may do: its chains of capabilities, who gave them, how often they were used; grant and revoke.

import { useQuery } from "@tanstack/react-query";
import { holdingsOf } from "../api/reports.ts";
import { HoldingList } from "../access/holding-list.tsx";
import { GrantForm } from "../access/grant-form.tsx";
import { Loaded } from "../parts/loaded.tsx";

export function RunAccess({ pid }: { pid: string }) {
  const power = useQuery(holdingsOf({ pid }));
  return (
    <div className="flex flex-col gap-4">
      <Loaded query={power}>{({ holdings }) => <HoldingList holdings={holdings} />}</Loaded>
      <GrantForm to={{ pid }} />
    </div>
  );
}
