/// Code that builds test files: each builder names what matters about the file it makes.
package enum FixtureKit {}
