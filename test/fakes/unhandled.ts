/** Takes errors nobody waits for away from the test runner, which would fail the test, until it is disposed of. */
export function catchUnhandled(): { readonly errors: readonly unknown[]; dispose(): void } {
  const errors: unknown[] = [];
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', error => errors.push(error));
  return {
    errors,
    dispose: () => {
      process.removeAllListeners('unhandledRejection');
      for (const other of others) process.on('unhandledRejection', other);
    },
  };
}
