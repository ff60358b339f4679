extension AppStore {
    static let coreData = AppStore(
        preset: "core-data",
        schema: """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            CREATE TABLE ZARTICLE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISREAD INTEGER,
                ZISSTARRED INTEGER, ZFEED INTEGER, ZARRIVED TIMESTAMP, ZGUID VARCHAR, ZTITLE VARCHAR, ZCONTENT VARCHAR);
            CREATE INDEX ZARTICLE_ZFEED_INDEX ON ZARTICLE (ZFEED);

            """,
        rows: """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO ZARTICLE (Z_ENT, Z_OPT, ZFEED, ZTITLE, ZISREAD, ZARRIVED)
            SELECT 1, 1, 1, 'stays: newest ' || i, 1, \(ago(200)) - 978307200 + i + 0.25 FROM n;
            INSERT INTO ZARTICLE (Z_ENT, Z_OPT, ZFEED, ZTITLE, ZISREAD, ZISSTARRED, ZARRIVED)
            SELECT 1, 1, column2, column1, column3, column4, \(ago(300)) - 978307200 + 0.5 FROM (VALUES
                ('goes: read', 1, 1, 0),
                ('goes: star never set', 1, 1, NULL),
                ('stays: in a small feed', 2, 1, 0),
                ('stays: unread', 1, 0, 0),
                ('stays: never read', 1, NULL, 0),
                ('stays: starred', 1, 1, 1));
            INSERT INTO ZARTICLE (Z_ENT, ZFEED, ZTITLE, ZISREAD, ZARRIVED) VALUES (1, 1, 'stays: no date', 1, NULL);
            """,
        table: "ZARTICLE",
        shown: "SELECT ZTITLE FROM ZARTICLE")
}
