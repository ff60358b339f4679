import TestSupport

extension ServerApp {
    /// Tiny Tiny RSS, with the tables of Debian's package; nil where that was not downloaded.
    static let ttRSS: ServerApp? = (try? DebianArchive.ttRSSSchema).flatMap(\.self).map { schema in
        ServerApp(
            preset: "tt-rss", rule: "articles", schema: schema, rows: ttRSSRows, table: "ttrss_user_entries",
            shown: "SELECT title FROM ttrss_entries e JOIN ttrss_user_entries u ON u.ref_id = e.id")
    }

    private static let ttRSSTitles = [
        "goes: read", "goes: read long ago", "stays: young", "stays: unread", "stays: starred",
        "stays: published",
        "stays: with a note", "stays: archived", "stays: labelled", "stays: never purged",
        "stays: never read",
        "stays: still in its feed", "stays: of a feed that was never updated",
    ]

    private static let ttRSSRows = """
        INSERT INTO ttrss_feeds (id, owner_uid, title, feed_url, purge_interval, last_successful_update)
        VALUES (101, 1, 'a', 'a', 0, \(localAgo(0))), (102, 1, 'b', 'b', -1, \(localAgo(0))), (103, 1, 'c', 'c', 0, NULL);
        INSERT INTO ttrss_entries (id, title, guid, link, updated, content, content_hash, date_entered, date_updated)
        SELECT id, title, title, 'l', \(localAgo(500)), '', '', \(localAgo(500)),
            CASE title WHEN 'stays: still in its feed' THEN \(localAgo(3)) ELSE \(localAgo(9)) END
        FROM unnest('{\(ttRSSTitles.joined(separator: ","))}'::text[]) WITH ORDINALITY t (title, id);
        INSERT INTO ttrss_user_entries (ref_id, uuid, feed_id, owner_uid, tag_cache, label_cache, unread, marked, published, note,
            last_read)
        SELECT id, '', CASE title WHEN 'stays: archived' THEN NULL WHEN 'stays: never purged' THEN 102
            WHEN 'stays: of a feed that was never updated' THEN 103 ELSE 101 END, 1, '', '', title = 'stays: unread',
            title = 'stays: starred', title = 'stays: published', CASE title WHEN 'stays: with a note' THEN 'n' WHEN 'goes: read' THEN '' END,
            CASE title WHEN 'stays: young' THEN \(localAgo(89)) WHEN 'goes: read' THEN \(localAgo(90))
            WHEN 'stays: never read' THEN NULL ELSE \(localAgo(300)) END FROM ttrss_entries;
        INSERT INTO ttrss_labels2 (id, owner_uid, caption) VALUES (1, 1, 'label');
        INSERT INTO ttrss_user_labels2 SELECT 1, id FROM ttrss_entries WHERE title = 'stays: labelled';
        INSERT INTO ttrss_tags (tag_name, owner_uid, post_int_id) SELECT 't', 1, int_id FROM ttrss_user_entries;
        """
}
