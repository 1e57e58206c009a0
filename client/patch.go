package client

import (
	"encoding/json"
	"reflect"
)

// patchOf returns the merge patch that turns before into after, two values of one
// struct type as the API shows it. It is empty if there is nothing to change.
func patchOf(before, after any) (Object, error) {
	patch := Object{}
	err := patchStruct(reflect.ValueOf(before), reflect.ValueOf(after), patch)
	return patch, err
}

func patchStruct(before, after reflect.Value, patch Object) error {
	for name, f := range fieldsOf(before.Type()) {
		if err := patchField(before.FieldByIndex(f.Index), after.FieldByIndex(f.Index), name, patch); err != nil {
			return err
		}
	}
	return nil
}

// patchField puts what changed of one field into patch.
func patchField(before, after reflect.Value, name string, patch Object) error {
	switch before.Kind() {
	case reflect.Pointer:
		if before.IsNil() || after.IsNil() {
			break // it comes or goes as a whole
		}
		return patchField(before.Elem(), after.Elem(), name, patch)
	case reflect.Slice:
		if before.Len() == 0 && after.Len() == 0 {
			return nil
		}
		if after.IsNil() { // lists are never null
			patch[name] = []any{}
			return nil
		}
	case reflect.Struct:
		if _, leaf := before.Interface().(json.Marshaler); leaf {
			break
		}
		inner := map[string]any{} // as [generic] has it
		if err := patchStruct(before, after, inner); err != nil {
			return err
		}
		if len(inner) > 0 {
			patch[name] = inner
		}
		return nil
	}
	old, err := generic(before.Interface())
	if err != nil {
		return err
	}
	wanted, err := generic(after.Interface())
	if err != nil {
		return err
	}
	if change, changed := patchValue(old, wanted); changed {
		patch[name] = change
	}
	return nil
}

// patchValue compares two values of free form. Objects are compared key by key,
// everything else as a whole.
func patchValue(old, wanted any) (change any, changed bool) {
	from, ok1 := old.(map[string]any)
	to, ok2 := wanted.(map[string]any)
	if !ok1 || !ok2 {
		return wanted, !reflect.DeepEqual(old, wanted)
	}
	patch := map[string]any{}
	for key := range from {
		if _, stays := to[key]; !stays {
			patch[key] = nil
		}
	}
	for key, value := range to {
		was, existed := from[key]
		if !existed {
			patch[key] = value
		} else if change, changed := patchValue(was, value); changed {
			patch[key] = change
		}
	}
	return patch, len(patch) > 0
}

// shows reports whether a merge patch would change nothing of v.
func shows(v, patch any) bool {
	changes, ok := patch.(map[string]any)
	if !ok {
		return reflect.DeepEqual(v, patch)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for key, change := range changes {
		value, exists := object[key]
		if change == nil && !exists {
			continue
		}
		if !shows(value, change) {
			return false
		}
	}
	return true
}

// generic is v as encoding/json reads what it has written of v.
func generic(v any) (any, error) {
	text, err := encode(v)
	if err != nil {
		return nil, err
	}
	var plain any
	return plain, decode(text, &plain)
}
