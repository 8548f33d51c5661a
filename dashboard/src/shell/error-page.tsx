// What is shown instead of a view: there is none at this address, or it failed.

import { Link } from "@tanstack/react-router";
import { Failure } from "../parts/failure.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { View } from "../parts/view.tsx";

export function NotFoundPage() {
  return (
    <View title="Page not found">
      <EmptyState title="There is no view at this address">
        <Link to="/" className="underline underline-offset-2">
          Overview
        </Link>
      </EmptyState>
    </View>
  );
}

export function ErrorPage({ error }: { error: unknown }) {
  return (
    <main className="mx-auto max-w-lg px-4 py-24">
      <Failure error={error} again={() => location.reload()} />
    </main>
  );
}
