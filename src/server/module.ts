/** Modules: parts of a process. A module opens resources, and closes all of them when it is closed. */

/** Adds an opened resource, which closes together with the module. */
export type Use = <T extends Closeable>(resource: T) => T;
export interface Closeable {
  close(): unknown;
}
export interface Module {
  /** Closes every resource, the newest first, because it may depend on older ones. Rejects at the end if one of them failed to close. */
  close(): Promise<void>;
}

/** If `open` fails, closes the resources that it has opened. The caller gets the error of `open`; `onLost` gets the errors of closing. */
export async function openModule<T extends object>(
  open: (use: Use) => T | Promise<T>,
  onLost: (error: unknown) => void = () => {},
): Promise<T & Module> {
  const resources: Closeable[] = [];
  const close = async () => {
    const errors: unknown[] = [];
    for (const resource of resources.splice(0).reverse()) {
      try {
        await resource.close();
      } catch (error) {
        errors.push(...(error instanceof AggregateError ? (error.errors as unknown[]) : [error]));
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} parts of this process failed to close.`);
  };
  try {
    const use: Use = (resource) => {
      resources.push(resource);
      return resource;
    };
    return { ...(await open(use)), close };
  } catch (error) {
    await close().catch(onLost);
    throw error;
  }
}
