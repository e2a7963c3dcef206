/** Runs the contract suite on every tool of our own domains, as every sample person. */
import { contractSuite } from 'tamshai/testing';
import { afterAll, describe, it } from 'vitest';
import config from './tamshai.config.ts';

contractSuite(config, { describe, it, afterAll, domains: ['{{name}}'] });
