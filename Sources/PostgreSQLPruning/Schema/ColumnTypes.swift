/// The types of which the values of columns are made.
enum ColumnTypes {
    /// SQL of the types of the columns for which `condition` is true, and of all types of which they are made.
    /// `more` gives further ones, after a UNION.
    static func all(of condition: String, and more: String = "") -> String {
        """
        SELECT a.atttypid FROM pg_attribute a WHERE a.attnum > 0 AND NOT a.attisdropped AND \(condition) \(more) \
        UNION SELECT inner_type.oid FROM type JOIN pg_type t USING (oid) LEFT JOIN pg_range r \
        ON t.oid IN (r.rngtypid, r.rngmultitypid) CROSS JOIN LATERAL (\
        VALUES (t.typbasetype), (t.typelem), (r.rngtypid), (r.rngsubtype) \
        UNION ALL SELECT f.atttypid FROM pg_attribute f WHERE f.attrelid = t.typrelid AND f.attnum > 0 \
        AND NOT f.attisdropped) AS inner_type (oid) WHERE inner_type.oid <> 0
        """
    }
}
