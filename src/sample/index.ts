export { demoFacts, type LocalFacts } from './demo';
export { sampleRecord, type SampleRecord, type SampleRecords } from './records';
export { sampleFetch, type SampleOptions } from './sample';
