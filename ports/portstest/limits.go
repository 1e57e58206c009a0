package portstest

import (
	"context"
	"errors"
	"testing"
	"time"

	"orgd/domain/fault"
	"orgd/domain/limit"
	"orgd/ports"
)

// Limiter checks the promises of ports.Limiter. open returns a limiter that has
// counted nothing under any key; it is called once per check. The checks wait
// for real windows to pass, at most three seconds each and all at once. How a
// lease outlives its holder is for the adapter's own test.
func Limiter(t *testing.T, open func(t *testing.T) ports.Limiter) {
	for name, check := range map[string]func(*testing.T, ports.Limiter){
		"AnyPeriodHoldsTheCap":      limiterAnyPeriod,
		"ManyAtOnce":                limiterManyAtOnce,
		"DeniedIsNotCounted":        limiterDeniedNotCounted,
		"RetryAfterIsRight":         limiterRetryAfter,
		"RetryAfterSpansEveryone":   limiterLongestWait,
		"GroupCountsInAllOrNone":    limiterAllOrNone,
		"UsagesCountDown":           limiterUsages,
		"LoweredCapHolds":           limiterLoweredCap,
		"CapZeroIsOff":              limiterOff,
		"BucketsAreIndependent":     limiterIndependent,
		"EndedContextCountsNothing": limiterEndedContext,
		"SlotsHoldTheCap":           limiterSlots,
		"ReleaseFreesOnce":          limiterReleaseOnce,
		"ReleaseOutlivesContext":    limiterReleaseLater,
		"DeniedHoldsNoSlot":         limiterDeniedNoSlot,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, open(t))
		})
	}
}

// limiterAdmit asks and demands a decision.
func limiterAdmit(t *testing.T, l ports.Limiter, ask limit.Ask) limit.Grant {
	t.Helper()
	g, err := l.Admit(t.Context(), ask)
	if err != nil {
		t.Fatalf("Admit = %v, want a decision", err)
	}
	if g.Release == nil {
		t.Fatal("Admit: Release is nil")
	}
	return g
}

// limiterExpect asks and demands that the request is admitted (want "") or
// refused by the window or slot of this name.
func limiterExpect(t *testing.T, l ports.Limiter, ask limit.Ask, want string) limit.Grant {
	t.Helper()
	g := limiterAdmit(t, l, ask)
	got := ""
	if g.Denied != nil {
		got = g.Denied.Name
	}
	if got != want {
		t.Fatalf("Admit: refused by %q, want %q", got, want)
	}
	return g
}

func limiterWindow(name string, cap int, length time.Duration) limit.Window {
	return limit.Window{Name: name, Key: "k", Cap: cap, Length: length, Code: fault.OperationLimited}
}

// byAddress and bySubject put the windows into one group of the ask.
func byAddress(key string, ws ...limit.Window) limit.Ask {
	return limit.Ask{Address: key, AddressWindows: ws}
}

func bySubject(key string, ws ...limit.Window) limit.Ask {
	return limit.Ask{Subject: key, SubjectWindows: ws}
}

func limiterAllOrNone(t *testing.T, l ports.Limiter) {
	wide, narrow := limiterWindow("wide", 3, time.Minute), limiterWindow("narrow", 1, time.Minute)
	limiterExpect(t, l, byAddress("a", wide, narrow), "")
	for range 5 {
		limiterExpect(t, l, byAddress("a", wide, narrow), "narrow")
		limiterExpect(t, l, byAddress("a", narrow, wide), "narrow")
	}
	limiterExpect(t, l, byAddress("a", wide), "")
	limiterExpect(t, l, byAddress("a", wide), "")
	limiterExpect(t, l, byAddress("a", wide), "wide")
}

func limiterUsages(t *testing.T, l ports.Limiter) {
	address, off, subject := limiterWindow("address", 9, time.Minute), limiterWindow("off", 0, time.Minute), limiterWindow("subject", 2, time.Hour)
	ask := limit.Ask{
		Address: "a", AddressWindows: []limit.Window{address},
		Subject: "s", SubjectWindows: []limit.Window{off, subject},
	}
	for i, remaining := range []int{1, 0, 0} {
		us := limiterAdmit(t, l, ask).Usages
		if len(us) != 2 || us[0].Window != address || us[1].Window != subject {
			t.Fatalf("Usages = %+v, want address and subject", us)
		}
		if us[1].Remaining != remaining {
			t.Errorf("Usages after %d requests: %d remain, want %d", i+1, us[1].Remaining, remaining)
		}
		for _, u := range us {
			// At most the period and the hundredth that a request may count longer.
			if u.Reset <= u.Window.Length-time.Minute/2 || u.Reset > u.Window.Length+u.Window.Length/100 {
				t.Errorf("Reset of %s = %v, want about %v", u.Window.Name, u.Reset, u.Window.Length)
			}
		}
	}
}

func limiterLoweredCap(t *testing.T, l ports.Limiter) {
	for range 3 {
		limiterExpect(t, l, byAddress("a", limiterWindow("w", 5, time.Minute)), "")
	}
	g := limiterExpect(t, l, byAddress("a", limiterWindow("w", 2, time.Minute)), "w")
	if len(g.Usages) != 1 || g.Usages[0].Remaining != 0 {
		t.Errorf("Usages = %+v, want one with nothing remaining", g.Usages)
	}
	limiterExpect(t, l, byAddress("a", limiterWindow("w", 4, time.Minute)), "")
	limiterExpect(t, l, byAddress("a", limiterWindow("w", 4, time.Minute)), "w")
}

func limiterOff(t *testing.T, l ports.Limiter) {
	ask := bySubject("s", limiterWindow("w", 0, time.Minute))
	ask.Slot = &limit.Slot{Name: "op", Key: "k"}
	for range 50 {
		if g := limiterExpect(t, l, ask, ""); len(g.Usages) != 0 {
			t.Fatalf("Usages = %+v, want none", g.Usages)
		}
	}
	limiterExpect(t, l, limit.Ask{}, "")
}

func limiterIndependent(t *testing.T, l ports.Limiter) {
	w := limiterWindow("w", 1, time.Minute)
	otherName, otherKey := w, w
	otherName.Name, otherKey.Key = "v", "j"
	slot := bySubject("b")
	slot.Slot = &limit.Slot{Name: "w", Key: "k", Cap: 1}
	for _, ask := range []limit.Ask{
		byAddress("a", w), byAddress("b", w), bySubject("a", w), bySubject("b", w),
		byAddress("a", otherName), byAddress("a", otherKey), byAddress("A", w), slot,
	} {
		limiterExpect(t, l, ask, "")
		limiterExpect(t, l, ask, nameOf(ask))
	}
}

// nameOf returns the name of the only member of the ask.
func nameOf(ask limit.Ask) string {
	if ask.Slot != nil {
		return ask.Slot.Name
	}
	return append(ask.AddressWindows, ask.SubjectWindows...)[0].Name
}

func limiterEndedContext(t *testing.T, l ports.Limiter) {
	ask := bySubject("s", limiterWindow("w", 1, time.Minute))
	ask.Slot = &limit.Slot{Name: "op", Key: "k", Cap: 1}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g, err := l.Admit(ctx, ask)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Admit = %v, want context.Canceled", err)
	}
	if g.Release == nil {
		t.Fatal("Admit: Release is nil beside an error")
	}
	g.Release()
	limiterExpect(t, l, ask, "")
}
