// The types of the package as an ES module are those of its CommonJS code.
export * from './index.cjs';
