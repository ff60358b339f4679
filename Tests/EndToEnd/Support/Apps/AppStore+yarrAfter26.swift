extension AppStore {
    /// What makes of yarr's store one of yarr 2.7.
    static let yarrAfter26 = """
        drop trigger del_item_search;
        drop table search;
        alter table items drop column search_rowid;
        create virtual table search using fts5(title, content, content='items', content_rowid='id', tokenize='unicode61');
        insert into search (rowid, title, content) select id, title, content from items;
        create trigger items_ai after insert on items begin
          insert into search(rowid, title, content) values (new.id, new.title, strip_html(new.content));
        end;
        create trigger items_ad after delete on items begin
          insert into search(search, rowid, title, content)
          values('delete', old.id, old.title, strip_html(old.content));
        end;
        create trigger items_au after update on items begin
          insert into search(search, rowid, title, content)
          values('delete', old.id, old.title, strip_html(old.content));
          insert into search(rowid, title, content) values (new.id, new.title, strip_html(new.content));
        end;
        """
}
