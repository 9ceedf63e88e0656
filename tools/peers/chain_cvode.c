/* Chains of blocks on a belt with LuGre friction by SUNDIALS CVODE: BDF with Newton's method, banded
 * direct solver and analytic Jacobian, and Adams with fixed-point iteration, 5 s. Prints rows
 * `solver,problem,model,tolerance,error,seconds`: the error is that of any position at any sample
 * against FOLDER/chainN-lugre.csv, the processor time the best of several runs.
 *
 * Equations and parameters are those of crates/bench/src/chain.rs. Absolute tolerances go by the size of each state, as
 * in crates/bench/benches/peers.rs. A block's states follow each other: x, v, z. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <time.h>

static const double belt = 0.04, ground = 30.0, coupling = 45.0;
static const double masses[3] = {1.0, 1.1, 0.9}, loads[3] = {10.0, 11.0, 12.5};
static const double mu_s = 0.45, mu_d = 0.30, v_s = 0.03;
static const double sigma0 = 2e4, sigma1 = 80.0, sigma2 = 0.4;
static const double sizes[3] = {1e-1, 1e-1, 1e-5};
enum { SAMPLES = 50 };
static const double sample = 0.1;
static int blocks;

static int rates(realtype t, N_Vector state, N_Vector rate, void *user) {
    const double *y = N_VGetArrayPointer(state);
    double *dy = N_VGetArrayPointer(rate);
    for (int i = 0; i < blocks; i++) {
        const double *b = y + 3 * i;
        double v = b[1] - belt, q = v / v_s;
        double level = mu_d + (mu_s - mu_d) * exp(-q * q);
        double dz = v - sigma0 * fabs(v) / level * b[2];
        double force = loads[i % 3] * (sigma0 * b[2] + sigma1 * dz + sigma2 * v);
        double sum = -ground * b[0] - force;
        if (i > 0) sum += coupling * (b[-3] - b[0]);
        if (i + 1 < blocks) sum += coupling * (b[3] - b[0]);
        dy[3 * i] = b[1];
        dy[3 * i + 1] = sum / masses[i % 3];
        dy[3 * i + 2] = dz;
    }
    return 0;
}

static int jacobian(realtype t, N_Vector state, N_Vector rate, SUNMatrix j, void *user, N_Vector a,
                    N_Vector b, N_Vector c) {
    const double *all = N_VGetArrayPointer(state);
    SUNMatZero(j);
    for (int i = 0; i < blocks; i++) {
        const double *y = all + 3 * i;
        double v = y[1] - belt, z = y[2], q = v / v_s, fall = (mu_s - mu_d) * exp(-q * q);
        double level = mu_d + fall, slope = -2.0 * q / v_s * fall;
        double sign = v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : 0.0;
        double by_v = 1.0 - sigma0 * z * (sign - fabs(v) * slope / level) / level;
        double by_z = -sigma0 * fabs(v) / level;
        double mass = masses[i % 3], load = loads[i % 3];
        int k = 3 * i, springs = (i > 0) + (i + 1 < blocks);
        SM_ELEMENT_B(j, k, k + 1) = 1.0;
        SM_ELEMENT_B(j, k + 1, k) = -(ground + springs * coupling) / mass;
        SM_ELEMENT_B(j, k + 1, k + 1) = -load * (sigma1 * by_v + sigma2) / mass;
        SM_ELEMENT_B(j, k + 1, k + 2) = -load * (sigma0 + sigma1 * by_z) / mass;
        SM_ELEMENT_B(j, k + 2, k + 1) = by_v;
        SM_ELEMENT_B(j, k + 2, k + 2) = by_z;
        if (i > 0) SM_ELEMENT_B(j, k + 1, k - 3) = coupling / mass;
        if (i + 1 < blocks) SM_ELEMENT_B(j, k + 1, k + 3) = coupling / mass;
    }
    return 0;
}

/* The greatest error of a position, or NaN if CVODE fails. Set-up and clean-up are not timed. */
static double solve(int adams, double rtol, const double *right, double *seconds) {
    SUNContext context;
    SUNContext_Create(NULL, &context);
    N_Vector y = N_VNew_Serial(3 * blocks, context), atol = N_VNew_Serial(3 * blocks, context);
    double *start = N_VGetArrayPointer(y), *small = N_VGetArrayPointer(atol);
    for (int i = 0; i < blocks; i++) {
        start[3 * i] = 0.03 + 0.02 * sin(1.7 * (i + 1));
        start[3 * i + 1] = belt;
        start[3 * i + 2] = 0.0;
        for (int k = 0; k < 3; k++) small[3 * i + k] = rtol * sizes[k];
    }
    void *cvode = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context);
    CVodeInit(cvode, rates, 0.0, y);
    CVodeSVtolerances(cvode, rtol, atol);
    SUNMatrix matrix = SUNBandMatrix(3 * blocks, 2, 4, context);
    SUNLinearSolver solver = SUNLinSol_Band(y, matrix, context);
    SUNNonlinearSolver fixed = SUNNonlinSol_FixedPoint(y, 0, context);
    if (adams) {
        CVodeSetNonlinearSolver(cvode, fixed);
    } else {
        CVodeSetLinearSolver(cvode, solver, matrix);
        CVodeSetJacFn(cvode, jacobian);
    }
    CVodeSetMaxNumSteps(cvode, 10000000);
    double worst = 0.0, t;
    *seconds = 0.0;
    for (int k = 0; k < SAMPLES; k++) {
        struct timespec a, b;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        if (CVode(cvode, sample * (k + 1), y, &t, CV_NORMAL) < 0) worst = NAN;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        *seconds += (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
        for (int i = 0; i < blocks; i++) {
            double error = fabs(start[3 * i] - right[k * blocks + i]);
            worst = error > worst || isnan(error) ? error : worst;
        }
    }
    CVodeFree(&cvode);
    SUNNonlinSolFree(fixed);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(atol);
    SUNContext_Free(&context);
    return worst;
}

int main(int count, char **arguments) {
    const int sizes_tried[] = {5, 20, 50, 150};
    if (count != 2) {
        fprintf(stderr, "chain_cvode FOLDER: where are the reference trajectories?\n");
        return 2;
    }
    for (int n = 0; n < 4; n++) {
        blocks = sizes_tried[n];
        char name[4096];
        snprintf(name, sizeof name, "%s/chain%d-lugre.csv", arguments[1], blocks);
        FILE *file = fopen(name, "r");
        if (!file) {
            fprintf(stderr, "cannot read %s\n", name);
            return 1;
        }
        double *right = malloc(sizeof(double) * SAMPLES * blocks);
        for (int k = 0; k < SAMPLES * blocks; k++) {
            if (fscanf(file, "%lf%*c", right + k) != 1) return 1;
        }
        fclose(file);
        for (int adams = 0; adams < 2; adams++) {
            for (int k = 12; k <= 22; k += 2) {
                double rtol = pow(10.0, -0.5 * k), best = INFINITY, error = NAN, seconds;
                for (int run = 0; run < (blocks > 20 ? 2 : 5); run++) {
                    error = solve(adams, rtol, right, &seconds);
                    best = fmin(best, seconds);
                }
                printf("CVODE %s,chain%d,lugre,%.1e,%.2e,%.4e\n", adams ? "Adams" : "BDF", blocks, rtol,
                       error, best);
                fflush(stdout);
            }
        }
        free(right);
    }
    return 0;
}
