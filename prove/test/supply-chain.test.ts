import { supplyChain } from '../src/parts/supply-chain.ts';
import { testPart } from './support.ts';

testPart(supplyChain);
