/** The contract suite over all built-in domains. */
import { afterAll, describe, it } from 'vitest';
import { suiteOf } from '../../src/testing/contract-suite.ts';
import { builtIn } from '../registry.ts';
import { openTestServer } from '../test-server.ts';
import { copies } from './arrange.ts';

suiteOf(builtIn, { describe, it, afterAll, openServer: () => openTestServer(), ignoredTables: copies });
