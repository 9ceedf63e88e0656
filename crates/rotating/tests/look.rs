//! look
use bristle_kernel::Start;
use bristle_kernel::bristle::*;
use bristle_rotating::*;
#[test]
fn look() {
    for rule in [rotating::Rule::Table1, rotating::Rule::Table1Inner] {
        let m = Rotating { rule, ..Rotating::start(()) };
        let mut run = Run::new(Body::dragged(1.0, 1.0, 0.5), Friction::Rotating(m), 0.0, 0.0);
        run.to(20.0, |_, _| {}).unwrap();
        let mut audit = Audit::new(&run);
        let mut turns = vec![];
        let x0 = run.x(); let (mut v0, mut v1) = (0.0f64, 0.0f64);
        run.to(4020.0, |r, s| { audit.enter(r, s); v0 = v0.min(r.v()); v1 = v1.max(r.v());
          if s.event == Event::Stop { turns.push([r.t(), r.x(), if let Phase::Moving(w) = s.phase { w } else { 0.0 }]); } }).unwrap();
        let ends: Vec<_> = turns.iter().filter(|t| t[2] < 0.0).collect();
        let n = ends.len() - 1;
        let per: Vec<f64> = ends.windows(2).map(|w| w[1][0] - w[0][0]).collect();
        let mut back = 0.0; let mut dur = 0.0; let mut k = 0;
        for w in turns.windows(2) { if w[1][2] < 0.0 { back += w[0][1] - w[1][1]; dur += w[1][0] - w[0][0]; k += 1; } }
        println!("{rule:?} period {} {:?} back {} dur {} n {n} {} v {v0} {v1}", per.iter().sum::<f64>() / n as f64, (per.iter().cloned().fold(9.0, f64::min), per.iter().cloned().fold(0.0, f64::max)), back / k as f64, dur / k as f64, turns.len());
        let e = m.row().released();
        println!("{:?} {:?} spurious {} created {}", audit, audit.residuals(), ((run.x() - x0) / m.delta * e - audit.friction) / n as f64, audit.created / n as f64);
    }
}
