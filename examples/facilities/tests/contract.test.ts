/** Runs the contract suite on every tool, resource and prompt of our own domains, as every sample person. */
import { afterAll, describe, it } from 'vitest';
import { contractSuite } from 'tamshai/testing';
import config from '../tamshai.config.ts';

contractSuite(config, { describe, it, afterAll, domains: ['facilities', 'fleet'] });
