import { webhooks } from '../src/parts/webhooks.ts';
import { testPart } from './support.ts';

testPart(webhooks);
