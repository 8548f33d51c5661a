// Policy: the rules in force, layer by layer, and what another policy would have decided in runs of the past.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { policy } from "../api/reports.ts";
import { Ago } from "../parts/ago.tsx";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/failure.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { View } from "../parts/view.tsx";
import { Section } from "../run/section.tsx";
import { Backtest } from "./backtest.tsx";
import { PolicyLayer, type PolicyLayerReport } from "./policy-layer.tsx";

export function PolicyPage() {
  const query = useQuery(policy);
  return (
    <View
      title="Policy"
      lead="Deny counts over ask, ask over allow; a layer can only take away what the layers above it leave."
      actions={<Reload />}
    >
      <Loaded query={query}>
        {({ layers, loadedAt }) => (
          <>
            {(layers as unknown as PolicyLayerReport[]).map((layer) => (
              <PolicyLayer key={layer.name} layer={layer} />
            ))}
            <p className="text-xs text-faint">
              In force since <Ago at={loadedAt} />.
            </p>
          </>
        )}
      </Loaded>
      <Section title="What would another policy have decided?">
        <Backtest />
      </Section>
    </View>
  );
}

function Reload() {
  const client = useQueryClient();
  const { data: caller } = useQuery(me);
  const reloading = useMutation({
    mutationFn: () => daemon.reloadPolicy({}),
    onSettled: () => client.invalidateQueries({ queryKey: ["policy"] }),
  });
  if (caller?.role !== "operator") return null;
  return (
    <div className="flex flex-col items-end gap-2">
      <Button disabled={reloading.isPending} onClick={() => reloading.mutate()}>
        Reload the files
      </Button>
      {reloading.error === null ? null : <Failure error={reloading.error} />}
    </div>
  );
}
