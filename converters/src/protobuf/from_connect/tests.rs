//! Texts of schemas, as the JVM registers them.
