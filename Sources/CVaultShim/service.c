#include "CVaultStores.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// libsecret's and GLib's interfaces, as far as they are used here (libsecret 0.18 and newer): neither
// their headers nor their libraries are needed to build.
typedef struct {
  const char *name;
  int flags;
  struct {
    const char *name;
    int type;
  } attributes[32];
  int reserved;
  void *reserved_pointers[7];
} schema_layout;

typedef struct {
  unsigned domain;
  int code;
  char *message;
} error_layout;

typedef struct list_layout {
  void *data;
  struct list_layout *next;
  struct list_layout *previous;
} list_layout;

enum { SEARCH_ALL = 1 << 1 };

static struct {
  int (*storev)(const schema_layout *, void *, const char *, const char *, const char *, void *,
                error_layout **);
  char *(*lookupv)(const schema_layout *, void *, void *, error_layout **);
  int (*clearv)(const schema_layout *, void *, void *, error_layout **);
  list_layout *(*searchv)(void *, const schema_layout *, void *, int, void *, error_layout **);
  void *(*item_attributes)(void *);
  int (*item_locked)(void *);
  void (*password_free)(char *);
  void *(*table_new)(void *, void *);
  void *(*string_hash), *(*string_equal);
  int (*table_insert)(void *, void *, void *);
  void *(*table_lookup)(void *, const void *);
  void (*table_unref)(void *);
  void (*error_free)(error_layout *);
  void (*object_unref)(void *);
  void (*list_free)(list_layout *);
  int is_loaded;
} secret;

static void load(void) {
  void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  void *glib = dlopen("libglib-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
  void *objects = dlopen("libgobject-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library || !glib || !objects) return;
  int found = 1;
#define FIND(from, field, name) found &= (*(void **)&secret.field = dlsym(from, name)) != 0
  FIND(library, storev, "secret_password_storev_sync");
  FIND(library, lookupv, "secret_password_lookupv_sync");
  FIND(library, clearv, "secret_password_clearv_sync");
  FIND(library, searchv, "secret_service_search_sync");
  FIND(library, item_attributes, "secret_item_get_attributes");
  FIND(library, item_locked, "secret_item_get_locked");
  FIND(library, password_free, "secret_password_free");
  FIND(glib, table_new, "g_hash_table_new");
  FIND(glib, string_hash, "g_str_hash");
  FIND(glib, string_equal, "g_str_equal");
  FIND(glib, table_insert, "g_hash_table_insert");
  FIND(glib, table_lookup, "g_hash_table_lookup");
  FIND(glib, table_unref, "g_hash_table_unref");
  FIND(glib, error_free, "g_error_free");
  FIND(glib, list_free, "g_list_free");
  FIND(objects, object_unref, "g_object_unref");
  secret.is_loaded = found;
}

static int is_ready(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return secret.is_loaded;
}

// One schema for all items of this program; names and values in them are random.
static const schema_layout schema = {
    "org.vestige.item", 0, {{"service", 0}, {"account", 0}, {"group", 0}}, 0, {0}};

static void *attributes(const char *service, const char *account, const char *group) {
  void *table = secret.table_new(secret.string_hash, secret.string_equal);
  if (service) secret.table_insert(table, "service", (void *)service);
  if (account) secret.table_insert(table, "account", (void *)account);
  if (group) secret.table_insert(table, "group", (void *)group);
  return table;
}

static int outcome(error_layout *error) {
  if (!error) return 0;
  // Only the code is looked at: messages can quote names.
  const char *message = error->message ? error->message : "";
  int result = VAULT_STORE_FAILED;
  if (strstr(message, "locked") || strstr(message, "Locked")) result = VAULT_STORE_LOCKED;
  else if (strstr(message, "dismissed")) result = VAULT_STORE_DENIED;
  else if (strstr(message, "AccessDenied")) result = VAULT_STORE_DENIED;
  else if (strstr(message, "D-Bus") || strstr(message, "DBus") || strstr(message, "ServiceUnknown") ||
           strstr(message, "not provided by any") || strstr(message, "connect"))
    result = VAULT_STORE_UNAVAILABLE;
  secret.error_free(error);
  return result;
}

// 1 if the item exists and is locked, 0 if it exists and is not, -1 if there is none, -2 on error.
static int lock_state(const char *service, const char *account, const char *group, int *result) {
  error_layout *error = 0;
  void *table = attributes(service, account, group);
  list_layout *items = secret.searchv(0, &schema, table, SEARCH_ALL, 0, &error);
  secret.table_unref(table);
  if (error) {
    *result = outcome(error);
    return -2;
  }
  int state = -1;
  for (list_layout *item = items; item; item = item->next) {
    state = secret.item_locked(item->data) ? 1 : 0;
    secret.object_unref(item->data);
  }
  secret.list_free(items);
  return state;
}

int vault_service_store(const char *service, const char *account, const char *group,
                        const char *text) {
  if (!is_ready()) return VAULT_STORE_UNAVAILABLE;
  error_layout *error = 0;
  void *table = attributes(service, account, group);
  // The label is shown in keyring programs and kept in clear: it says nothing.
  secret.storev(&schema, table, 0, "item", text, 0, &error);
  secret.table_unref(table);
  return outcome(error);
}

int vault_service_read(const char *service, const char *account, const char *group, char *text,
                       size_t capacity) {
  if (!is_ready()) return VAULT_STORE_UNAVAILABLE;
  int result = 0;
  int state = lock_state(service, account, group, &result);
  if (state == -2) return result;
  if (state == -1) return VAULT_STORE_NOT_FOUND;
  if (state == 1) return VAULT_STORE_LOCKED;
  error_layout *error = 0;
  void *table = attributes(service, account, group);
  char *found = secret.lookupv(&schema, table, 0, &error);
  secret.table_unref(table);
  if (error) return outcome(error);
  if (!found) return VAULT_STORE_NOT_FOUND;
  size_t count = strlen(found) + 1;
  if (count > capacity) result = VAULT_STORE_FAILED;
  else memcpy(text, found, count);
  // Wipes as it frees.
  secret.password_free(found);
  return result;
}

int vault_service_remove(const char *service, const char *account, const char *group) {
  if (!is_ready()) return VAULT_STORE_UNAVAILABLE;
  int result = 0;
  int state = lock_state(service, account, group, &result);
  if (state == -2) return result;
  if (state == -1) return VAULT_STORE_NOT_FOUND;
  if (state == 1) return VAULT_STORE_LOCKED;
  error_layout *error = 0;
  void *table = attributes(service, account, group);
  secret.clearv(&schema, table, 0, &error);
  secret.table_unref(table);
  return outcome(error);
}

int vault_service_list(void (*found)(void *, const char *, const char *, const char *),
                       void *context) {
  if (!is_ready()) return VAULT_STORE_UNAVAILABLE;
  error_layout *error = 0;
  void *table = attributes(0, 0, 0);
  list_layout *items = secret.searchv(0, &schema, table, SEARCH_ALL, 0, &error);
  secret.table_unref(table);
  if (error) return outcome(error);
  for (list_layout *item = items; item; item = item->next) {
    void *names = secret.item_attributes(item->data);
    const char *service = secret.table_lookup(names, "service");
    const char *account = secret.table_lookup(names, "account");
    const char *group = secret.table_lookup(names, "group");
    if (service && account) found(context, service, account, group ? group : "");
    secret.table_unref(names);
    secret.object_unref(item->data);
  }
  secret.list_free(items);
  return 0;
}
